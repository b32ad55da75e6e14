// What is live is followed as a stream, from the purchase to the report: with EventSource, with WebSocket and with the Connect client for
// Node over each of its protocols.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { execFileSync } from 'node:child_process'
import { createFileRegistry, fromBinary, toJson } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { EventSource } from 'eventsource'
import WebSocket from 'ws'
import { start } from './server.mjs'
import { agentPublic, sha256, signedRequester } from './sign.mjs'

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(process.env.RAMP_DESCRIPTORS)))
const delivery = registry.getService('frontdesk.delivery.v1.DeliveryService')
const domain = 'buyer.example.com'
const buyer = `${domain}/research-bot`
const site = 'https://www.example.com'
const long = 'Ein Satz über Suppe und nichts anderes. '.repeat(700).trim()
let desk, made = 0

const broadcast = (text) => ({ '@type': 'Article', url: `${site}/live/match`, headline: 'The match', articleBody: text, isLiveBroadcast: true })
const items = (text) => [broadcast(text), { '@type': 'Article', url: `${site}/long/a`, headline: 'Long', articleBody: long }].map((item) => JSON.stringify(item)).join('\n')
const publish = (text) => {
  writeFileSync(join(desk.folder, 'items.jsonl'), items(text))
  execFileSync(process.env.RAMP_FRONTDESK, ['ingest', '--config', desk.file], { stdio: 'ignore' })
}

before(async () => {
  desk = await start(`
url: ""
site: {name: Example, url: ${site}}
sources: [{name: pages, path: items.jsonl}]
terms:
  - match: {path: "/live/**"}
    access: licensed
    price: {model: per_minute, rate: "0.10", currency: USD}
  - match: {path: "/long/**"}
    access: licensed
    price: {model: per_access, rate: "0.02", currency: USD}
    delivery: [streaming]
ramp: {enabled: true, purchases: body, domain: exchange.example.com}
limits: {rate: {failures: 100000/1m}} # until the key is known here, each signature by it is wrong
`, { 'items.jsonl': items('Nil to nil.') })
  const cli = (...args) => execFileSync(process.env.RAMP_FRONTDESK, ['ramp', ...args.slice(0, 2), '--config', desk.file, ...args.slice(2)], { stdio: 'ignore' })
  cli('requester', 'add', '--key', agentPublic, ...buyer.split('/'))
  cli('account', 'open', buyer, 'USD')
  cli('account', 'credit', buyer, '10', 'USD')
  while (!(await call('DiscoverResources', query('/live/match'))).offers);
})
after(() => desk.stop())

const requester = (uris) => signedRequester({ id: 'research-bot', domain, type: 'REQUESTER_TYPE_AGENT', uris, intended_use: ['FUNCTION_AI_INPUT'], scopes: [] })
const query = (path) => ({ ver: '1.0', id: `q${made++}`, requester: requester([site + path]), deadline: '5s' })
const call = async (method, message) => (await fetch(`${desk.url}/ramp.v1.ExchangeService/${method}`, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(message),
})).json()

// buy buys what is at a path, and gives the answer to the purchase.
async function buy(path) {
  const { offers: [offer] } = await call('DiscoverResources', query(path))
  assert.equal(offer.delivery_method, 'DELIVERY_METHOD_STREAMING')
  const bought = await call('ExecuteTransaction', {
    ver: '1.0', id: `t${made++}`, offer_id: offer.offer_id, offer_signature: offer.exchange_signature, requester: requester([]),
  })
  assert.equal(bought.delivery_method, 'DELIVERY_METHOD_STREAMING', JSON.stringify(bought))
  const address = bought.package.retrieval.endpoint
  assert.ok(address.startsWith(`${desk.url}/deliver/${bought.transaction_id}/stream?`), address)
  return { offer, bought, address }
}

const report = (bought, quantity, unit) => call('ReportUsage', {
  ver: '1.0', id: `r${made++}`, transaction_id: bought.transaction_id, billing_id: bought.billing_id, timestamp: new Date().toISOString(),
  usage: { function: ['FUNCTION_AI_INPUT'], consumed_quantity: quantity, consumed_unit: unit }, requester: requester([]),
})

// Each client follows a stream: it calls take with every event in its JSON, and gives a function that leaves.
const clients = {
  EventSource: (address, take, done) => {
    const source = new EventSource(address)
    for (const kind of ['start', 'content', 'time', 'end']) {
      source.addEventListener(kind, (event) => {
        const data = JSON.parse(event.data)
        assert.ok(data[kind], event.data)
        take(data)
        if (kind === 'end') {
          source.close()
          done()
        }
      })
    }
    source.onerror = (event) => event.code && done(new Error(`${event.code}`))
    return () => source.close()
  },
  WebSocket: (address, take, done, after) => {
    const protocols = ['frontdesk.delivery.v1', ...(after ? [`after.${after}`] : [])]
    const socket = new WebSocket(address.replace(/^http/, 'ws'), protocols)
    socket.on('open', () => assert.equal(socket.protocol, 'frontdesk.delivery.v1'))
    socket.on('message', (data) => take(JSON.parse(data)))
    socket.on('close', (code, reason) => done(undefined, `${code} ${reason}`))
    socket.on('error', done)
    return () => socket.close()
  },
  ...Object.fromEntries(Object.entries({ Connect: createConnectTransport, gRPC: createGrpcTransport, 'gRPC-Web': createGrpcWebTransport }).map(([name, transport]) => [
    name,
    (address, take, done, lastEventId = '') => {
      const control = new AbortController()
      const client = createClient(delivery, transport({ baseUrl: desk.url, httpVersion: '2' }))
      ;(async () => {
        try {
          for await (const event of client.stream({ address, lastEventId }, { signal: control.signal })) {
            take(toJson(delivery.method.stream.output, event, { useProtoFieldName: true }))
          }
          done()
        } catch (error) {
          done(error)
        }
      })()
      return () => control.abort()
    },
  ])),
}

// follow follows a stream to its end, or until enough says so.
const follow = (client, address, enough = () => false, after = undefined) => new Promise((resolve, reject) => {
  const events = []
  const leave = client(address, (event) => {
    events.push(event)
    if (enough(event, events)) {
      leave()
      resolve({ events })
    }
  }, (error, closed) => (error ? reject(error) : resolve({ events, closed })), after)
})

const text = (events) => events.map((event) => event.content?.text ?? '').join('')

for (const [name, client] of Object.entries(clients)) {
  test(`${name}: a text is told in parts, to its end, and goes on where it broke off`, async () => {
    const { offer, bought, address } = await buy('/long/a')
    const { events } = await follow(client, address)
    assert.deepEqual(Object.keys(events[0]).filter((key) => key !== 'id'), ['start'])
    assert.equal(events[0].start.transaction_id, bought.transaction_id)
    assert.ok(text(events).replace(/\s+/g, ' ') === long, `${name} told something else`)
    assert.equal(sha256(text(events)), offer.identity.content_hash)
    const end = events.at(-1).end
    assert.deepEqual([end.reason, end.bytes, end.sha256], ['complete', Buffer.byteLength(text(events)), offer.identity.content_hash])
    const parts = events.filter((event) => event.content)
    assert.ok(parts.length > 2)
    if (name === 'EventSource') return
    const rest = await follow(client, address, undefined, parts[0].id)
    assert.ok(text(rest.events) === text(parts.slice(1)), `${name} goes on with something else`)
  })

  test(`${name}: what is live is followed, and charged by the time`, async () => {
    publish('Nil to nil.')
    while (!(await call('DiscoverResources', query('/live/match'))).offers);
    const { bought, address } = await buy('/live/match')
    assert.equal(bought.cost.amount, 0.5)
    let published = false
    const goal = `One to nil (${name}).`
    const { events } = await follow(client, address, (event, all) => {
      if (event.content && !published) {
        published = true
        publish(goal)
      }
      return text(all).endsWith(goal)
    })
    assert.equal(events[0].start.live, true)
    const filed = await report(bought, 1, 'minutes')
    assert.equal(filed.accepted, true, JSON.stringify(filed))
    const statement = execFileSync(process.env.RAMP_FRONTDESK, ['ramp', 'account', 'purchases', '--config', desk.file, buyer]).toString()
    assert.match(statement, new RegExp(`${bought.transaction_id}.*0\\.1`), statement)
  })

  test(`${name}: an address that was changed opens nothing`, async () => {
    const { address } = await buy('/long/a')
    const wrong = new URL(address)
    wrong.searchParams.set('expires', '4102444800')
    await assert.rejects(follow(client, `${wrong}`), (error) => {
      assert.ok(error instanceof ConnectError ? error.code === Code.PermissionDenied : /403/.test(error.message), `${error}`)
      return true
    })
  })
}

test('EventSource: a text that was told to its end is not asked for again', async () => {
  const { address } = await buy('/long/a')
  const { events } = await follow(clients.EventSource, address)
  const answer = await fetch(address, { headers: { Accept: 'text/event-stream', 'Last-Event-ID': events.findLast((event) => event.content).id } })
  assert.equal(answer.status, 204)
  assert.equal((await fetch(address, { headers: { Accept: 'text/html' } })).status, 406)
  const plain = await fetch(address)
  assert.equal(plain.headers.get('content-type'), 'text/event-stream')
  assert.equal(plain.headers.get('access-control-allow-origin'), '*')
  await plain.body.cancel()
})

test('a report ends what is live, and one that is not so is marked', async () => {
  const { bought, address } = await buy('/live/match')
  const { events, closed } = await follow(clients.WebSocket, address, (event) => {
    if (event.start) report(bought, 4, 'minutes')
    return false
  })
  assert.equal(events.at(-1).end.reason, 'reported')
  assert.equal(closed, '1000 reported')
  const compliance = execFileSync(process.env.RAMP_FRONTDESK, ['ramp', 'report', 'transactions', '--config', desk.file, '--format', 'jsonl']).toString()
  const row = JSON.parse(compliance.split('\n').find((line) => line.includes(bought.transaction_id)))
  assert.equal(row.charged, '0.1', JSON.stringify(row))
})
