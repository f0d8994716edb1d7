// What is tested: publishes until it is confirmed, on a new connection where the old one breaks.

const amqp = require('amqplib');

class Publisher {
  constructor(url, queue) {
    this.url = url;
    this.queue = queue;
    this.attempts = 0;
  }

  async publish(body, most = 5) {
    for (let left = most; left > 0; left -= 1) {
      this.attempts += 1;
      try {
        await this.attempt(body);
        return;
      } catch (error) {
        if (left === 1) throw error;
      }
    }
  }

  async attempt(body) {
    if (!this.channel) await this.connect();
    const broken = this.broken;
    const confirmed = new Promise((resolve, reject) => {
      this.channel.sendToQueue(this.queue, Buffer.from(body), { persistent: true }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    confirmed.catch(() => {}); // the connection may break first, and then both fail
    await Promise.race([confirmed, broken]);
  }

  async connect() {
    const connection = await amqp.connect(this.url);
    this.connection = connection;
    this.broken = new Promise((_, reject) => {
      connection.on('close', (error) => {
        this.channel = undefined;
        reject(error || new Error('the connection is closed'));
      });
    });
    this.broken.catch(() => {}); // nobody may be waiting for a confirm
    connection.on('error', () => {}); // `close` follows
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => {});
    await channel.assertQueue(this.queue, { durable: true });
    this.channel = channel;
  }

  async close() {
    if (this.channel) await this.connection.close();
  }
}

module.exports = { Publisher };
