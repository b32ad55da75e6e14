// The clients against the built program, beyond what the examples of README.md do.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Desk } from '@frontdesk/client'
import { Declined, Provider, Unfit } from '@frontdesk/client/intake'
import { Denied, Failed, Publisher } from '@frontdesk/client/intent'
import { Exchange, ExchangeError, costOf } from '@frontdesk/client/ramp'
import { NotTrue, verifyReceipt } from '@frontdesk/client/receipt'
import { start } from './world.mjs'

let world, desk
before(async () => {
  world = await start()
  desk = new Desk(world.url)
})
after(() => world?.stop())

test('the events of a stream come in their order, the last with all of it', async () => {
  const events = []
  for await (const event of desk.ask('oil lamps', { modes: ['list', 'summarize'] })) events.push(event)
  assert.equal(events[0].type, 'start')
  const { answer } = events.at(-1)
  assert.deepEqual(
    events
      .filter((e) => e.type === 'result')
      .map((e) => e.result.name)
      .sort(),
    answer.results.map((r) => r.name).sort(),
  )
  assert.equal(answer.meta.version, '0.55')
})

test('a promise can be looked at, cancelled, and is then no more', async () => {
  const promised = await desk.answer('a thorough look').catch((error) => error)
  assert.equal(promised.code, 'PROMISED')
  assert.equal((await desk.await(promised.token).catch((error) => error)).token, promised.token)
  assert.equal(await desk.cancel(promised.token), undefined)
  await assert.rejects(desk.await(promised.token), { code: 'CANCELLED' })
  await assert.rejects(desk.await('promise_of_nobody'), { code: 'PROMISE_NOT_FOUND' })
})

test('an item that is for sale says where, with an excerpt', async () => {
  const { results } = await desk.answer('the trade in wicks', { limit: 1 })
  assert.equal(results[0].exchange, world.url)
  assert.equal(results[0].actions[0].name, 'license')
})

const platform = (more = {}) => ({ id: 'example_chat', key: world.key, requireSigned: true, ...more })

test('a publisher refuses a wrong secret, and denies what is out of scope', async () => {
  const forged = await Publisher.open(
    world.url,
    platform({ key: { ...world.key, secret: 'guessed' }, requireSigned: false }),
  )
  await assert.rejects(
    forged.retrieve({ domain: 'crafts' }),
    (error) => error instanceof Failed && error.code === 'auth_failed' && error.status === 401,
  )
  const publisher = await Publisher.open(world.url, platform())
  await assert.rejects(
    publisher.retrieve({ domain: 'sport' }),
    (error) => error instanceof Denied && error.code === 'out_of_scope',
  )
  await assert.rejects(publisher.retrieve({ domain: 'crafts', query: 'zyzzyva qwrtp' }), { code: 'no_content' })
})

test('a receipt holds, and not with anything changed', async () => {
  const publisher = await Publisher.open(world.url, platform())
  const passages = await publisher.retrieve({ domain: 'crafts', query: 'wicks' })
  for (let n = 0; n < 3; n++) await publisher.retrieve({ domain: 'crafts', query: 'lamps' }) // so that the tree has some height
  const receipt = await publisher.receipt(passages)
  const keys = await (await fetch(`${world.url}/.well-known/jwks.json`)).json()
  const { size } = await verifyReceipt(JSON.stringify(receipt), keys)
  assert.ok(size > receipt.index && receipt.proof.length > 0)
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const [first, second] = receipt.proof
  const wrong = {
    party: { ...receipt, entry: { ...receipt.entry, party: 'another' } },
    body: { ...receipt, entry: { ...receipt.entry, body: { ...receipt.entry.body, more: 1 } } },
    index: { ...receipt, index: receipt.index === 0 ? 1 : receipt.index - 1 },
    proof: { ...receipt, proof: second ? [second, first, ...receipt.proof.slice(2)] : [] },
    shorter: { ...receipt, proof: receipt.proof.slice(1) },
    longer: { ...receipt, proof: [...receipt.proof, first] },
    size: { ...receipt, checkpoint: receipt.checkpoint.replace(`\n${size}\n`, `\n${size + 1}\n`) },
    signature: {
      ...receipt,
      checkpoint: receipt.checkpoint.replace(/(.)(.{10})\n$/, (_, c, rest) => `${c === 'A' ? 'B' : 'A'}${rest}\n`),
    },
    unsigned: { ...receipt, checkpoint: receipt.checkpoint.split('\n\n')[0] },
  }
  for (const [name, each] of Object.entries(wrong)) await assert.rejects(verifyReceipt(each, keys), NotTrue, name)
  await assert.rejects(verifyReceipt(receipt, { keys: [other] }), /signed by none of the given keys/)
})

test('an intake declines, and refuses what does not fit before it is sent', async () => {
  const business = await Provider.discover(world.url)
  await assert.rejects(
    business.submit('lamp-repair', { lamp: 'oil', age: 300 }),
    (error) => error instanceof Declined && /museum/.test(error.reason),
  )
  await assert.rejects(business.submit('lamp-repair', { lamp: 'wax', age: 3 }), Unfit)
  const offered = await business.submit('lamp-repair', { lamp: 'gas', age: 3 })
  const confirmed = offered.confirm({ email: 'jane.doe@example.com' })
  const [first, again] = [await confirmed.bind(), await confirmed.bind()]
  assert.deepEqual(again, first)
  await assert.rejects(offered.confirm({ email: 'john.doe@example.com' }).bind(), {
    code: 'OFFER_ALREADY_BOUND',
    status: 409,
  })
})

test('an Exchange sells once under an id, and nothing to a stranger', async () => {
  const uris = [`${world.url}/premium/wicks`]
  const buyer = { id: 'research-bot', domain: 'buyer.example.com', key: world.buyerKey }
  const exchange = await Exchange.open(world.url, buyer)
  const [
    {
      offers: [offer],
    },
  ] = await exchange.discover({ uris })
  const purchase = { id: crypto.randomUUID() }
  const [[first], [again]] = [await exchange.execute(offer, purchase), await exchange.execute(offer, purchase)]
  assert.equal(again.transaction, first.transaction)
  assert.deepEqual([first.overcharged, costOf(offer)], [false, { amount: 0.02, currency: 'USD' }])
  const content = await exchange.deliver(first)
  assert.match(content.text, /three merchants/)
  assert.ok(content.offered && content.digested)
  await assert.rejects(
    exchange.dispute(first, { report: 'none', reason: 'wrong-content' }),
    (error) => error instanceof ExchangeError || error.code === 'NOT_DISPUTED',
  )
  const [quote] = await exchange.discover({ uris: [`${world.url}/nowhere`] })
  assert.equal(quote.absence, 'OFFER_ABSENCE_REASON_NOT_IN_CATALOG')
  const stranger = await Exchange.open(world.url, {
    ...buyer,
    key: generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  })
  await assert.rejects(
    stranger.execute(offer),
    (error) => error instanceof ExchangeError && error.code === 'unauthenticated',
  )
})
