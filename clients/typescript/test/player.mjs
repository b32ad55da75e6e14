// Plays the transcripts of test/sdk/transcripts, whose README.md describes them, in place of fetch.
import assert from 'node:assert/strict'
import { createHash, createHmac, createPrivateKey, createPublicKey, verify } from 'node:crypto'

/** within says what keeps a value from having what is wanted; undefined for nothing. With places it must have nothing else. */
export function within(want, got, places, at = '') {
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length)
      return `${at} is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`
    return want.map((each, i) => within(each, got[i], places, `${at}/${i}`)).find(Boolean)
  }
  if (want && typeof want === 'object') {
    if (!got || typeof got !== 'object') return `${at} is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`
    const more = places ? Object.keys(got).filter((name) => !(name in want)) : []
    if (more.length > 0) return `${at} has ${more}`
    return Object.entries(want)
      .map(([name, each]) => within(each, got[name], places, `${at}/${name}`))
      .find(Boolean)
  }
  const same =
    places && typeof want === 'string' && typeof got === 'string' ? fits(want, got, places) : Object.is(want, got)
  return same ? undefined : `${at} is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`
}

const place = /\$\{(\w+)\}/g

function fits(want, got, places) {
  const names = []
  const pattern = want
    .split(place)
    .map((part, i) => {
      if (i % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      names.push(part)
      return '([\\s\\S]+?)'
    })
    .join('')
  const found = new RegExp(`^${pattern}$`).exec(got)
  if (!found) return false
  return names.every((name, i) => {
    const same = !places.has(name) || places.get(name) === found[i + 1]
    places.set(name, found[i + 1])
    return same
  })
}

/** Player answers requests as a transcript has it. */
export class Player {
  places = new Map()
  faults = []
  exchanges = []

  constructor(transcript, clock) {
    this.who = transcript.who ?? {}
    this.start = Date.parse(transcript.now ?? '2026-03-01T12:00:00Z')
    this.clock = clock
  }

  now = () => this.start + this.clock.now

  /** begin takes the exchanges of a step. */
  begin(step) {
    this.exchanges = [...(step.exchanges ?? [])]
    this.last = this.clock.now
    for (const name of this.places.keys()) if (name === name.toLowerCase()) this.places.delete(name)
  }

  fetch = async (url, init) => {
    const exchange = this.exchanges.shift()
    const said = `${init.method} ${url}`
    if (!exchange) {
      this.faults.push(`${said} ${init.body} is sent, and nothing more is expected`)
      throw new TypeError('not expected')
    }
    const passed = (this.clock.now - this.last) / 1000
    if (exchange.after && (passed < exchange.after[0] || passed > exchange.after[1]))
      this.faults.push(`${said} comes after ${passed} seconds, want ${exchange.after}`)
    this.last = this.clock.now
    this.#expect(exchange.request, url, init, said)
    if (exchange.fails) throw new TypeError('fetch failed', { cause: new Error('the connection cannot be made') })
    return this.#answer(exchange.response, url, init)
  }

  #expect(want, url, init, said) {
    const headers = new Headers(init.headers)
    if (init.method !== want.method || !fits(want.url, url, this.places))
      this.faults.push(`${said} is sent, want ${want.method} ${want.url}`)
    for (const [name, value] of Object.entries(want.headers ?? {})) {
      const got = headers.get(name)
      if (value === null ? got !== null : got === null || !fits(value, got, this.places))
        this.faults.push(`${said}: the header ${name} is ${got}, want ${value}`)
    }
    if (want.json !== undefined) {
      const fault = within(want.json, JSON.parse(init.body), this.places)
      if (fault) this.faults.push(`${said}: in the body ${fault}`)
    }
    if (want.signed === 'aip' && !this.#signedByPlatform(init, url, headers))
      this.faults.push(`${said}: the signature is not right`)
    if (want.signed === 'ramp' && !this.#signedByBuyer(init, url, headers))
      this.faults.push(`${said}: the signature is not right`)
  }

  #signedByPlatform(init, url, headers) {
    const { pathname, search } = new URL(url)
    const timestamp = headers.get('X-AIP-Timestamp')
    const want = this.#mac(init.method, pathname + search, init.body ?? '', timestamp, headers.get('X-AIP-Nonce'))
    return (
      headers.get('X-AIP-Signature') === want &&
      headers.get('X-AIP-Key-Id') === this.who.key &&
      Math.abs(Date.parse(timestamp) - this.now()) <= 300_000
    )
  }

  #mac(first, path, body, timestamp, nonce) {
    const lines = [first, path, createHash('sha256').update(body).digest('hex'), timestamp, nonce]
    return `v1=${createHmac('sha256', this.who.secret).update(lines.join('\n')).digest('base64')}`
  }

  #signedByBuyer(init, url, headers) {
    const [, input, created, expires] =
      /^agent=(\("@method" "@target-uri" "content-digest"\).*;created=(\d+);expires=(\d+);nonce=.*)$/.exec(
        headers.get('Signature-Input'),
      ) ?? []
    const digest = `sha-256=:${createHash('sha256').update(init.body).digest('base64')}:`
    const base = `"@method": ${init.method}\n"@target-uri": ${url}\n"content-digest": ${digest}\n"@signature-params": ${input}`
    const signature = /^agent=:(.*):$/.exec(headers.get('Signature'))?.[1] ?? ''
    const seed = createPrivateKey({
      key: Buffer.from(`302e020100300506032b657004220420${this.who.seed}`, 'hex'),
      format: 'der',
      type: 'pkcs8',
    })
    return (
      headers.get('Content-Digest') === digest &&
      Math.abs(created * 1000 - this.now()) < 60_000 &&
      expires - created <= 900 &&
      verify(null, Buffer.from(base), createPublicKey(seed), Buffer.from(signature, 'base64'))
    )
  }

  #answer(told, url, init) {
    const fill = (text) => text.replace(place, (_, name) => this.places.get(name) ?? '')
    const body = fill(told.json === undefined ? (told.text ?? '') : JSON.stringify(told.json))
    const status = told.status ?? 200
    const headers = new Headers({ 'Content-Type': told.json === undefined ? 'text/event-stream' : 'application/json' })
    for (const [name, value] of Object.entries(told.headers ?? {})) headers.set(name, value)
    if (told.signed === 'aip') {
      const timestamp = new Date(this.now()).toISOString().replace(/\.\d+Z$/, 'Z')
      const { pathname, search } = new URL(url)
      for (const [name, value] of Object.entries({
        Version: '0.1',
        'Key-Id': this.who.key,
        Timestamp: timestamp,
        Nonce: 'n1',
        Signature: this.#mac(String(status), pathname + search, body, timestamp, 'n1'),
      }))
        headers.set(`X-AIP-${name}`, value)
    }
    const bytes = new TextEncoder().encode(body)
    let at = 0
    const stream =
      status === 204
        ? null
        : new ReadableStream({
            start: (controller) =>
              init.signal?.addEventListener('abort', () => {
                try {
                  controller.error(init.signal.reason)
                } catch {
                  /* it has ended */
                }
              }),
            pull(controller) {
              if (at < bytes.length)
                controller.enqueue(bytes.slice(at, (at += 7))) // in pieces that end anywhere
              else if (told.then === 'cut') controller.error(new TypeError('terminated'))
              else if (told.then === 'silence') return new Promise(() => {})
              else controller.close()
            },
          })
    return new Response(stream, { status, headers })
  }

  /** end holds that all was sent, and nothing else. */
  end(at) {
    if (this.exchanges.length > 0) this.faults.push(`${this.exchanges.length} requests were not made`)
    assert.deepEqual(this.faults, [], at)
  }
}
