// The transcripts that the clients in all languages play.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import test from 'node:test'
import { Desk, FrontdeskError } from '@frontdesk/client'
import { Provider } from '@frontdesk/client/intake'
import { Publisher } from '@frontdesk/client/intent'
import { Exchange } from '@frontdesk/client/ramp'
import { withClock } from './clock.mjs'
import { Player, within } from './player.mjs'

const folder = new URL('../../../test/sdk/transcripts/', import.meta.url)
const address = 'https://desk.example'
const protocols = { nlweb, intent, intake, ramp }

const transcripts = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((file) => ({ file, transcript: JSON.parse(readFileSync(new URL(file, folder), 'utf8')) }))

for (const { file, transcript } of transcripts) test(`${file}: ${transcript.rule}`, () => play(transcript))

test('a transcript that is not kept is found, whatever it says otherwise', async () => {
  const changes = {
    'another method': (t) => (exchange(t).request.method = 'PUT'),
    'another address': (t) => (exchange(t).request.url += 'x'),
    'another body': (t) => (exchange(t, (e) => e.request.json).request.json.more = 1),
    'another header': (t) => (exchange(t).request.headers = { Accept: 'text/odd' }),
    'a header that may not be there': (t) => (exchange(t).request.headers = { Accept: null }),
    'one request more': (t) => t.steps[0].exchanges.push(structuredClone(exchange(t))),
    'one request less': (t) => t.steps[0].exchanges.pop(),
    'another time': (t) => (exchange(t, (e) => e.after).after = [100, 101]),
    'another result': (t) => (t.steps.find((s) => s.result).result = { odd: 1 }),
    'another error': (t) => (t.steps.find((s) => s.error).error = { kind: 'odd' }),
    'no error': (t) => delete t.steps.find((s) => s.error).error,
  }
  for (const [name, change] of Object.entries(changes)) {
    let found = 0
    for (const { transcript } of transcripts) {
      const copy = structuredClone(transcript)
      try {
        change(copy)
      } catch {
        continue // there is nothing of the kind in it
      }
      await assert.rejects(play(copy), `${name}: ${transcript.rule}`)
      found++
    }
    assert.ok(found > 0, name)
  }
})

test('a request that is signed by another key is found', async () => {
  const signed = transcripts.filter(({ transcript }) => /"request":\{[^}]*"signed"/.test(JSON.stringify(transcript)))
  assert.ok(signed.length > 0)
  for (const { transcript } of signed) {
    await assert.rejects(play(transcript, { ...transcript.who, secret: 'x', seed: '08'.repeat(32) }), transcript.rule)
  }
})

/** exchange is the first of a transcript for which something holds. */
function exchange(transcript, holds = () => true) {
  return transcript.steps.flatMap((step) => step.exchanges ?? []).find(holds)
}

/** play plays a transcript, and rejects where the client does not keep it, or is not who is expected. */
function play(transcript, expected = transcript.who) {
  return withClock(async (clock) => {
    const player = new Player({ ...transcript, who: expected }, clock)
    const call = protocols[transcript.protocol](optionsOf(transcript.options ?? {}, player), transcript.who)
    for (const [i, step] of transcript.steps.entries()) {
      const at = `step ${i + 1} (${step.do})`
      player.begin(step)
      let result, error
      try {
        result = await call(step.do, step.with ?? {}, (partial) => {
          result = partial
        })
      } catch (thrown) {
        error = thrown
      }
      player.end(at)
      if (!step.error) assert.equal(error, undefined, `${at}: ${error?.stack}`)
      else assert.equal(within(step.error, error && told(error)), undefined, `${at}: ${error?.stack}`)
      if ('result' in step) assert.equal(within(step.result, result ?? null), undefined, at)
    }
  })
}

function optionsOf(o, player) {
  const ms = (seconds) => (seconds === undefined ? undefined : seconds * 1000)
  return {
    fetch: player.fetch,
    now: player.now,
    token: o.token,
    userAgent: o.user_agent,
    maxAnswer: o.max_answer,
    maxEvent: o.max_event,
    retries: o.retries,
    maxWait: ms(o.max_wait),
    silence: ms(o.silence),
  }
}

/** told is an error as transcripts have it. */
function told(error) {
  if (!(error instanceof FrontdeskError)) return { kind: error.name, message: error.message }
  const kinds = {
    Failure: 'failure',
    Promised: 'promise',
    NotADesk: 'not_a_desk',
    Broken: 'broken',
    Unreachable: 'unreachable',
    Denied: 'denied',
    Failed: 'failed',
    Invalid: 'invalid',
    Forged: 'forged',
    Unsigned: 'unsigned',
    Unfit: 'unfit',
    PersonalData: 'personal_data',
    Declined: 'declined',
    Pending: 'pending',
    Refused: 'refused',
    NotAnIntake: 'not_an_intake',
    Expired: 'expired',
    ExchangeError: 'exchange',
    NotAnExchange: 'not_an_exchange',
    Rejected: 'rejected',
    NotDisputed: 'not_disputed',
    OtherContent: 'other_content',
    Damaged: 'damaged',
  }
  return {
    kind: kinds[error.name] ?? 'other',
    code: error.code,
    status: error.status,
    retry_after: error.retryAfter ?? 0,
    message: error.said ?? error.message,
    closest: error.closest,
    token: error.token,
    progress: error.progress,
    left: error.left,
    cause: error.code?.toLowerCase(),
    reason: error.reason ?? error.code,
    members: error.members ?? error.violations?.map((v) => v.pointer),
    dispute: error.dispute,
  }
}

const camel = (o) =>
  Object.fromEntries(
    Object.entries(o).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]),
  )

function nlweb(options) {
  const desk = new Desk(address, options)
  const conversation = desk.follow()
  let before
  return async (what, w, partly) => {
    const { token, answers, ...question } = camel(w)
    const result = await {
      answer: () => desk.answer(question),
      wait: () => desk.answer(question, { wait: true }),
      follow: () => conversation.answer(question.text),
      reply: () => desk.reply(before, answers),
      await: () => desk.await(token),
      cancel: () => desk.cancel(token),
      forget: () => conversation.forget(),
      async stream() {
        const results = []
        partly({ results })
        for await (const event of desk.ask(question)) {
          if (event.type === 'result') results.push(event.result)
          if (event.type === 'done') return event.answer
        }
        throw new Error('no event "done" came')
      },
    }[what]()
    before = result
    return result
  }
}

function intent(options, who) {
  let publisher, passages
  return async (what, w) => {
    switch (what) {
      case 'open':
        publisher = await Publisher.open(
          address,
          { id: who.platform, key: { id: who.key, secret: who.secret }, requireSigned: who.require_signed },
          options,
        )
        return { publisher: publisher.declaration.publisher.id }
      case 'retrieve': {
        const { latency_ms: latency, ...rest } = w
        passages = await publisher.retrieve({ ...rest, latency })
        return { ...passages, receipt: passages.receiptUrl }
      }
      case 'cite':
        return publisher.cite(passages, { source: w.source_url, surface: w.surface, id: w.event })
      case 'confirm':
        return publisher.confirm(passages)
    }
    throw new Error(`there is no ${what}`)
  }
}

function intake(options, who) {
  let provider, offered
  return async (what, w) => {
    switch (what) {
      case 'open':
        provider = await Provider.discover(address, { id: who.agent, platform: who.platform, name: who.name }, options)
        return { intakes: provider.manifest.intakes.map((each) => each.id) }
      case 'submit': {
        const { intake: id, data, ...rest } = w
        offered = await provider.submit(id, data, rest)
        return offered
      }
      case 'bind':
        return offered.confirm(w.data).bind()
    }
    throw new Error(`there is no ${what}`)
  }
}

function ramp(options, who) {
  let exchange, quotes, bought
  return async (what, w) => {
    switch (what) {
      case 'open':
        exchange = await Exchange.open(
          address,
          {
            id: who.id,
            domain: who.domain,
            keyId: who.key_id,
            key: who.seed && Uint8Array.from(Buffer.from(who.seed, 'hex')),
          },
          options,
        )
        return { exchange: exchange.manifest.domain }
      case 'discover':
        quotes = await exchange.discover(w)
        return {
          quotes: quotes.map((quote) => ({
            ...quote,
            offers: quote.offers.map((offer) => offer.offer_id),
            passed: quote.passed.length,
          })),
        }
      case 'buy': {
        const [got] = await exchange.execute(quotes[0].offers[0], { id: w.id })
        if (!got.denied) bought = got
        return got
      }
      case 'fetch': {
        const content = await exchange.deliver(bought, { accept: w.accept })
        return { ...content, body: content.text }
      }
      case 'report':
        return { report: await exchange.report(bought, { id: w.id, quantity: w.quantity, uses: w.functions }) }
      case 'dispute':
        return exchange.dispute(bought, w)
    }
    throw new Error(`there is no ${what}`)
  }
}
