import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PublisherTest {
    @RegisterExtension static final AckproofBroker broker = new AckproofBroker();

    private Publisher publisher;

    @BeforeEach
    void open() throws Exception {
        publisher = new Publisher(broker.uri(), "orders");
    }

    @AfterEach
    void close() throws Exception {
        publisher.close();
    }

    @Test
    void whatIsConfirmedIsPublishedOnce() throws Exception {
        publisher.publish("hello");
        assertEquals(1, publisher.attempts);
        assertEquals(1, broker.depth());
    }

    @Test
    void whatIsNackedIsPublishedAgain() throws Exception {
        broker.fault("nack_next", "{\"n\": 2, \"routing_key\": \"orders\"}");
        publisher.publish("hello");
        assertEquals(3, publisher.attempts);
        assertEquals(1, broker.depth());
    }

    @Test
    void whatWasNotConfirmedWhenTheConnectionBrokeIsPublishedAgain() throws Exception {
        broker.fault("drop_connection", "{\"when\": \"before_confirm\"}");
        publisher.publish("hello");
        assertEquals(2, publisher.attempts);
        // The broker had it already: who publishes again must reckon with doubles.
        assertEquals(2, broker.depth());
    }

    @Test
    void aWholeScenario() throws Exception {
        broker.play("""
                {"scenario": 1, "faults": [
                  {"fault": "nack_next"},
                  {"after": {"1": {"heard": {"confirms": 2}}}, "fault": "withhold_confirms"},
                  {"after": {"1": {"sent": {"basic.publish": 3}}}, "fault": "cut_connection"},
                  {"fault": "clear"}
                ]}""");
        publisher.publish("first");
        publisher.publish("second");
        assertEquals(4, publisher.attempts);
        assertEquals(3, broker.depth());
    }
}
