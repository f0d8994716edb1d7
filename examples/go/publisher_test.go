package orders

import (
	"context"
	"log"
	"os"
	"testing"
	"time"
)

var broker *Broker

func TestMain(m *testing.M) {
	var err error
	if broker, err = StartBroker(); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	if err := broker.Stop(); err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

// publisher returns a publisher for one test, after which the broker begins again.
func publisher(t *testing.T) (*Publisher, context.Context) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	one := &Publisher{URL: broker.URL, Queue: "orders"}
	t.Cleanup(func() {
		cancel()
		one.Close()
		broker.Reset(t)
	})
	return one, ctx
}

// expect fails the test unless there were so many attempts, and so many messages are there.
func expect(t *testing.T, one *Publisher, attempts, depth int) {
	t.Helper()
	if one.Attempts != attempts {
		t.Errorf("%d attempts, not %d", one.Attempts, attempts)
	}
	if found := broker.Depth(t, "orders"); found != depth {
		t.Errorf("%d messages, not %d", found, depth)
	}
}

func TestWhatIsConfirmedIsPublishedOnce(t *testing.T) {
	one, ctx := publisher(t)
	if err := one.Publish(ctx, "hello"); err != nil {
		t.Fatal(err)
	}
	expect(t, one, 1, 1)
}

func TestWhatIsNackedIsPublishedAgain(t *testing.T) {
	one, ctx := publisher(t)
	broker.Fault(t, "nack_next", map[string]any{"n": 2, "routing_key": "orders"})
	if err := one.Publish(ctx, "hello"); err != nil {
		t.Fatal(err)
	}
	expect(t, one, 3, 1)
}

func TestWhatWasNotConfirmedWhenTheConnectionBrokeIsPublishedAgain(t *testing.T) {
	one, ctx := publisher(t)
	broker.Fault(t, "drop_connection", map[string]any{"when": "before_confirm"})
	if err := one.Publish(ctx, "hello"); err != nil {
		t.Fatal(err)
	}
	// The broker had it already: who publishes again must reckon with doubles.
	expect(t, one, 2, 2)
}

func TestAWholeScenario(t *testing.T) {
	one, ctx := publisher(t)
	afterTwo := map[string]any{"1": map[string]any{"heard": map[string]any{"confirms": 2}}}
	broker.Ask(t, "POST", "/scenario", map[string]any{
		"scenario": 1,
		"faults": []any{
			map[string]any{"fault": "nack_next"},
			map[string]any{"after": afterTwo, "fault": "withhold_confirms"},
			map[string]any{
				"after": map[string]any{"1": map[string]any{"sent": map[string]any{"basic.publish": 3}}},
				"fault": "cut_connection",
			},
			map[string]any{"fault": "clear"},
		},
	}, nil)
	for _, body := range []string{"first", "second"} {
		if err := one.Publish(ctx, body); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, one, 4, 3)
}
