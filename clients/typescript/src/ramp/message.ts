// Messages of RAMP v1 in JSON, whichever names their fields have there.
import { word } from '../answer.js'
import type * as wire from '../generated/ramp.js'
import { publicBytes } from '../sign.js'
import { isObject, members } from '../transport.js'
import type { Whole } from '../transport.js'
import { ExchangeError, NotAnExchange } from './errors.js'

/** A public key of an Exchange, and when it is good. */
export interface Key {
  bytes: Uint8Array<ArrayBuffer>
  from: number
  until: number
}

/**
 * keyOf reads one key of a document; none for those of other kinds, and those whose times cannot be
 * read.
 */
export function keyOf(value: unknown): Key[] {
  if (!isObject(value)) return []
  const { algorithm, kty, crv } = value
  if (algorithm !== undefined && !/^(ed25519|eddsa)?$/i.test(String(algorithm))) return []
  if (kty !== undefined && (kty !== 'OKP' || crv !== 'Ed25519')) return []
  const bytes = publicBytes(word(value.public_key) || word(value.x))
  const from = value.valid_from ? Date.parse(word(value.valid_from)) : -Infinity
  const until = value.valid_until ? Date.parse(word(value.valid_until)) : Infinity
  return bytes && !Number.isNaN(from) && !Number.isNaN(until) ? [{ bytes, from, until }] : []
}

/** functionOf is one of CoMP's functions, from "ai-input" or its own name. */
export function functionOf(use: string): string {
  return use.startsWith('FUNCTION_') ? use : `FUNCTION_${use.toUpperCase().replace(/-/g, '_')}`
}

/** absent is an enum's name; empty for the one that says nothing. */
export function absent(name: string): string {
  return name.endsWith('_UNSPECIFIED') ? '' : name
}

/** open are members whose own members are anybody's. */
const open = new Set(['ext', 'claims', 'search_filters'])

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** member is one of a message, by whichever of its names it has there. */
export function member(message: Record<string, unknown>, name: string): unknown {
  return Object.entries(message).find(([each]) => snake(each) === name)?.[1]
}

/** named gives a message with the names of its fields as the .proto files have them. */
export function named(message: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(message)) {
    if (name === '__proto__') continue
    const field = snake(name)
    if (Object.hasOwn(out, field)) throw new NotAnExchange('the answer', `it has ${field} twice`)
    out[field] = open.has(field) ? value : namedValue(value)
  }
  return out
}

export function namedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(namedValue)
  return isObject(value) ? named(value) : value
}

/**
 * dropEmpty leaves out what Protocol Buffers would not write: empty texts, zeros, false, null and
 * empty lists.
 */
export function dropEmpty(value: object): Record<string, unknown> {
  const said = (each: unknown) =>
    each !== '' && each !== 0 && each !== false && each !== null && !(Array.isArray(each) && each.length === 0)
  const inner = (each: unknown): unknown =>
    Array.isArray(each) ? each.map(inner) : isObject(each) ? dropEmpty(each) : each
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => said(each))
      .map(([name, each]) => [name, open.has(name) ? each : inner(each)]),
  )
}

/** clean leaves out what is undefined, at any depth. */
export function clean(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>
}

/** failure reads a failure that an Exchange answers. */
export function failure(got: Whole, now: number): ExchangeError {
  const told = members(got.bytes)
  const at = got.headers.get('Age') === null ? Date.parse(got.headers.get('Date') ?? '') : NaN
  const seconds = Math.round((at - now) / 1000)
  const apart =
    Math.abs(seconds) > 60
      ? `; its clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} this machine's: ` +
        'set the one that is wrong'
      : ''
  return new ExchangeError(
    word(told?.code) || `http_${got.status}`,
    word(told?.message),
    { status: got.status, retryAfter: got.retryAfter, raw: told },
    apart,
  )
}

const metered = /_PER_(TOKEN|PAGE|MINUTE|RECORD)$/

/** costOf is what an offer comes to at the most: its rate, or that for as many units as it estimates. */
export function costOf(offer: wire.Offer): { amount: number; currency: string } {
  const { rate = 0, model = '', estimated_quantity: units = 1, currency = '' } = offer.pricing ?? {}
  return { amount: metered.test(model) ? rate * Math.max(units, 1) : rate, currency }
}
