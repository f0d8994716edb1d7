// Package orders has what is tested: a publisher that publishes until it is confirmed, on a new
// connection where the old one breaks.
package orders

import (
	"context"
	"errors"
	"fmt"

	amqp "github.com/rabbitmq/amqp091-go"
)

var errNacked = errors.New("nacked")

// Publisher publishes to one queue.
type Publisher struct {
	URL, Queue string
	Attempts   int

	connection *amqp.Connection
	channel    *amqp.Channel
	confirms   chan amqp.Confirmation
}

// Publish publishes a message until it is confirmed, five times at most.
func (p *Publisher) Publish(ctx context.Context, body string) (err error) {
	for left := 5; left > 0; left-- {
		p.Attempts++
		if err = p.attempt(ctx, body); err == nil {
			return nil
		}
	}
	return fmt.Errorf("not confirmed: %w", err)
}

func (p *Publisher) attempt(ctx context.Context, body string) error {
	if p.connection == nil || p.connection.IsClosed() {
		if err := p.connect(); err != nil {
			return err
		}
	}
	message := amqp.Publishing{DeliveryMode: amqp.Persistent, Body: []byte(body)}
	if err := p.channel.PublishWithContext(ctx, "", p.Queue, false, false, message); err != nil {
		return err
	}
	select {
	case confirmation, open := <-p.confirms:
		if !open {
			return amqp.ErrClosed
		}
		if !confirmation.Ack {
			return errNacked
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Publisher) connect() (err error) {
	if p.connection, err = amqp.Dial(p.URL); err != nil {
		return err
	}
	if p.channel, err = p.connection.Channel(); err != nil {
		return err
	}
	if _, err = p.channel.QueueDeclare(p.Queue, true, false, false, false, nil); err != nil {
		return err
	}
	p.confirms = p.channel.NotifyPublish(make(chan amqp.Confirmation, 1))
	return p.channel.Confirm(false)
}

// Close closes the connection, if there is one.
func (p *Publisher) Close() {
	if p.connection != nil && !p.connection.IsClosed() {
		_ = p.connection.Close()
	}
}
