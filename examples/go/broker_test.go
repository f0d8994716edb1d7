package orders

// A broker for tests: starts `ackproof serve`, and asks it for faults by its control API.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var ready = regexp.MustCompile(`^ackproof (broker|control) ready on ([^ ,]+)`)

// Broker is a process that serves AMQP and the control API.
type Broker struct {
	URL, control string
	command      *exec.Cmd
	input        io.Closer
}

// StartBroker starts a broker in memory, on ports that the system chooses, and waits until clients
// can connect. It ends when this process does, however that ends, as its standard input does then.
func StartBroker(options ...string) (*Broker, error) {
	name := os.Getenv("ACKPROOF")
	if name == "" {
		name = "ackproof"
	}
	words := []string{"serve", "--in-memory", "--port", "0", "--control", "0", "--quiet", "--stop-at-eof"}
	command := exec.Command(name, append(words, options...)...)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	found := map[string]string{}
	for lines := bufio.NewScanner(output); len(found) < 2 && lines.Scan(); {
		if match := ready.FindStringSubmatch(lines.Text()); match != nil {
			found[match[1]] = match[2]
		}
	}
	if len(found) < 2 {
		return nil, fmt.Errorf("%s is not ready: %v", name, command.Wait())
	}
	url := "amqp://guest:guest@" + found["broker"] + "/"
	return &Broker{URL: url, control: found["control"], command: command, input: input}, nil
}

// Stop stops the broker.
func (b *Broker) Stop() error {
	b.input.Close()
	return b.command.Wait()
}

// Ask asks the control API; the answer goes into what is given, if something is.
func (b *Broker) Ask(t testing.TB, method, path string, body, answer any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		text = nil
	}
	request, err := http.NewRequest(method, b.control+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= 400 {
		t.Fatalf("%s %s: %s", method, path, said)
	}
	if answer != nil {
		if err := json.Unmarshal(said, answer); err != nil {
			t.Fatal(err)
		}
	}
}

// Fault asks for a fault, as Fault(t, "nack_next", map[string]any{"n": 2}).
func (b *Broker) Fault(t testing.TB, name string, arguments map[string]any) {
	t.Helper()
	b.Ask(t, "POST", "/faults/"+name, arguments, nil)
}

// Depth returns how many messages are ready in a queue.
func (b *Broker) Depth(t testing.TB, queue string) int {
	t.Helper()
	var there struct {
		Queues []struct {
			Name  string
			Ready int
		}
	}
	b.Ask(t, "GET", "/queues", nil, &there)
	for _, one := range there.Queues {
		if one.Name == queue {
			return one.Ready
		}
	}
	t.Fatalf("there is no queue %s", queue)
	return 0
}

// Reset begins again with nothing; the test fails if a promise was broken, or a fault never struck.
func (b *Broker) Reset(t testing.TB) {
	t.Helper()
	var left struct{ Complaints, Unstruck []string }
	b.Ask(t, "POST", "/reset", nil, &left)
	if len(left.Complaints) > 0 {
		t.Error(strings.Join(left.Complaints, "\n\n"))
	}
	if len(left.Unstruck) > 0 {
		t.Errorf("asked for, and never struck: %s", strings.Join(left.Unstruck, ", "))
	}
}
