import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;

/** What is tested: publishes until it is confirmed, on a new connection where the old one breaks. */
final class Publisher implements AutoCloseable {
    private static final int MOST = 5;
    private static final long PATIENCE = 10_000;

    private final ConnectionFactory factory = new ConnectionFactory();
    private final String queue;
    private Connection connection;
    private Channel channel;
    int attempts;

    Publisher(String uri, String queue) throws Exception {
        this.queue = queue;
        factory.setUri(uri);
        factory.setAutomaticRecoveryEnabled(false);
    }

    void publish(String body) throws IOException {
        for (int left = MOST; left > 0; left--) {
            attempts++;
            if (attempt(body)) {
                return;
            }
        }
        throw new IOException("not confirmed");
    }

    private boolean attempt(String body) throws IOException {
        try {
            if (connection == null || !connection.isOpen()) {
                connect();
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, bytes);
            return channel.waitForConfirms(PATIENCE);
        } catch (ShutdownSignalException | TimeoutException broken) {
            return false;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException(stopped);
        }
    }

    private void connect() throws IOException, TimeoutException {
        connection = factory.newConnection();
        channel = connection.createChannel();
        channel.queueDeclare(queue, true, false, false, null);
        channel.confirmSelect();
    }

    @Override
    public void close() throws IOException {
        if (connection != null && connection.isOpen()) {
            connection.close();
        }
    }
}
