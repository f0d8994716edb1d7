// A broker for tests: starts `ackproof serve`, and asks it for faults by its control API.

const { spawn } = require('node:child_process');
const readline = require('node:readline');

class Broker {
  // Start a broker in memory, on ports that the system chooses; resolves when clients can connect.
  static async start(...options) {
    const command = process.env.ACKPROOF || 'ackproof';
    // With --stop-at-eof it ends when this process does, however that ends.
    const words = ['serve', '--in-memory', '--port', '0', '--control', '0', '--quiet', '--stop-at-eof'];
    const child = spawn(command, [...words, ...options], { stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new Error(`cannot start ${command}: ${error.message}`)));
      child.once('exit', (code) => reject(new Error(`${command} ended with code ${code}`)));
    });
    exited.catch(() => {}); // when it ends later, nobody waits for this
    const ready = (async () => {
      const found = {};
      for await (const line of readline.createInterface({ input: child.stdout })) {
        const [, what, where] = line.match(/^ackproof (broker|control) ready on ([^ ,]+)/) || [];
        if (what) found[what] = where;
        if (found.broker && found.control) return new Broker(child, found.broker, found.control);
      }
      return exited;
    })();
    return Promise.race([ready, exited]);
  }

  // Use a broker that runs already, in a container, say; its control API has a token then.
  static at(address, control, token) {
    return new Broker(undefined, address, control, token);
  }

  constructor(child, address, control, token) {
    this.child = child;
    this.url = `amqp://guest:guest@${address}`;
    this.control = control;
    this.headers = token ? { authorization: `Bearer ${token}` } : {};
  }

  // Ask the control API; an answer that is no success is an error with its text.
  async ask(method, path, body) {
    const response = await fetch(this.control + path, {
      method,
      headers: this.headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${answer.error}`);
    return answer;
  }

  // Ask for a fault, as fault('nack_next', { n: 2, routing_key: 'orders' }).
  fault(name, args = {}) {
    return this.ask('POST', `/faults/${name}`, args);
  }

  // Play a scenario, before anybody connects.
  play(scenario) {
    return this.ask('POST', '/scenario', scenario);
  }

  // How many messages are ready in a queue.
  async depth(queue) {
    const { queues } = await this.ask('GET', '/queues');
    const found = queues.find((one) => one.name === queue);
    if (!found) throw new Error(`there is no queue ${queue}`);
    return found.ready;
  }

  // Begin again with nothing; fails if a promise was broken, or a fault never struck.
  async reset() {
    const { complaints, unstruck } = await this.ask('POST', '/reset');
    if (complaints.length) throw new Error(complaints.join('\n\n'));
    if (unstruck.length) throw new Error(`asked for, and never struck: ${unstruck.join(', ')}`);
  }

  async stop() {
    if (!this.child) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await gone;
  }
}

module.exports = { Broker };
