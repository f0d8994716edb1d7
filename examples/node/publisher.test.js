const { Broker } = require('./ackproof');
const { Publisher } = require('./publisher');

let broker;
let publisher;

beforeAll(async () => {
  const { ACKPROOF_AT: at, ACKPROOF_CONTROL: control, ACKPROOF_CONTROL_TOKEN: token } = process.env;
  broker = at ? Broker.at(at, control, token) : await Broker.start();
});
afterAll(() => broker.stop());

beforeEach(() => {
  publisher = new Publisher(broker.url, 'orders');
});
afterEach(async () => {
  await publisher.close();
  await broker.reset();
});

test('what is confirmed is published once', async () => {
  await publisher.publish('hello');
  expect(publisher.attempts).toBe(1);
  expect(await broker.depth('orders')).toBe(1);
});

test('what is nacked is published again', async () => {
  await broker.fault('nack_next', { n: 2, routing_key: 'orders' });
  await publisher.publish('hello');
  expect(publisher.attempts).toBe(3);
  expect(await broker.depth('orders')).toBe(1);
});

test('what was not confirmed when the connection broke is published again', async () => {
  await broker.fault('drop_connection', { when: 'before_confirm' });
  await publisher.publish('hello');
  expect(publisher.attempts).toBe(2);
  // The broker had it already: who publishes again must reckon with doubles.
  expect(await broker.depth('orders')).toBe(2);
});

test('a whole scenario', async () => {
  await broker.play({
    scenario: 1,
    faults: [
      { fault: 'nack_next' },
      { after: { 1: { heard: { confirms: 2 } } }, fault: 'cut_connection', arguments: { reset: true } },
    ],
  });
  await publisher.publish('first');
  await publisher.publish('second');
  expect(publisher.attempts).toBeGreaterThanOrEqual(3);
  expect(await broker.depth('orders')).toBe(2);
});

test('each test begins with nothing', async () => {
  expect(await broker.ask('GET', '/queues')).toEqual({ queues: [] });
});
