import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A broker for the tests of a class, which begins again after each of them:
 *
 * <pre>@RegisterExtension static final AckproofBroker broker = new AckproofBroker();</pre>
 *
 * It starts {@code ackproof serve} and asks it for faults by its control API. A test fails if a
 * promise was broken, or if a fault was asked for that never struck.
 */
final class AckproofBroker implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
    private static final Pattern READY =
            Pattern.compile("^ackproof (broker|control) ready on ([^ ,]+).*");

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<String> options;
    private Process process;
    private String uri;
    private String control;

    AckproofBroker(String... options) {
        this.options = List.of(options);
    }

    /** Where clients connect. */
    String uri() {
        return uri;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        String command = System.getenv().getOrDefault("ACKPROOF", "ackproof");
        // Standard input is a pipe of this process: when that ends, however it ends, so does the broker.
        List<String> words = new ArrayList<>(List.of(
                command, "serve", "--in-memory", "--port", "0", "--control", "0",
                "--quiet", "--stop-at-eof"));
        words.addAll(options);
        process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader lines = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        while (uri == null || control == null) {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException(command + " is not ready; it says why");
            }
            Matcher ready = READY.matcher(line);
            if (ready.matches() && ready.group(1).equals("broker")) {
                uri = "amqp://guest:guest@" + ready.group(2);
            } else if (ready.matches()) {
                control = ready.group(2);
            }
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        String left = ask("POST", "/reset", "");
        assertEquals("{\"reset\": true, \"complaints\": [], \"unstruck\": []}", left.strip());
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        process.getOutputStream().close();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        uri = control = null;
    }

    /** Ask for a fault, with arguments in JSON: {@code fault("nack_next", "{\"n\": 2}")}. */
    void fault(String name, String arguments) throws IOException {
        ask("POST", "/faults/" + name, arguments);
    }

    /** Play a scenario, before anybody connects. */
    void play(String scenario) throws IOException {
        ask("POST", "/scenario", scenario);
    }

    /** How many messages are ready in all queues. */
    int depth() throws IOException {
        Matcher ready = Pattern.compile("\"ready\": (\\d+)").matcher(ask("GET", "/queues", ""));
        int depth = 0;
        while (ready.find()) {
            depth += Integer.parseInt(ready.group(1));
        }
        return depth;
    }

    private String ask(String method, String path, String body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(control + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() >= 400) {
                throw new IOException(method + " " + path + ": " + response.body());
            }
            return response.body();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException(stopped);
        }
    }
}
