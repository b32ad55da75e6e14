// Signatures: canonical JSON (RFC 8785), the Agentic Intent Protocol's headers, HTTP message
// signatures (RFC 9421), by WebCrypto.
import { Misuse } from './errors.js'

/**
 * PrivateKey is an Ed25519 key: a CryptoKey, a JWK, PKCS #8 in PEM (as `frontdesk` and openssl
 * write it), or its 32 bytes.
 */
export type PrivateKey = Key | JWK | string | Uint8Array

/** Key is a CryptoKey of WebCrypto, by whichever types the platform has. */
export type Key = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>

/** JWK is a JSON Web Key (RFC 8037). */
export interface JWK {
  kty?: string
  crv?: string
  x?: string
  d?: string
  [name: string]: unknown
}

const encoder = new TextEncoder()

/** bytes of a text in UTF-8. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>
}

/** base64 writes bytes in base64. */
export function base64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** unbase64 reads base64 or base64url, padded or not; undefined for anything else. */
export function unbase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const plain = text
    .replace(/-/g, '+')
    .replace(/_/g, '/')
    .replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]*$/.test(plain)) return undefined
  try {
    const read = Uint8Array.from(atob(plain), (c) => c.charCodeAt(0))
    return base64(read).replace(/=+$/, '') === plain ? read : undefined // or the last bits could be anything
  } catch {
    return undefined
  }
}

/** hex writes bytes in hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function unhex(text: string): Uint8Array<ArrayBuffer> | undefined {
  return /^([0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16))
    : undefined
}

/** random is so many random bytes in hexadecimal. */
export function random(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)))
}

/** sha256 of bytes. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** maxDepth is how deep JSON may nest that is signed. */
const maxDepth = 100

/** canonical is the one way to write a JSON value (RFC 8785). */
export function canonical(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw new Misuse(`objects and arrays nest deeper than ${maxDepth} levels`)
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join()}]`
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value)
      .filter((name) => (value as Record<string, unknown>)[name] !== undefined)
      .sort()
    const object = value as Record<string, unknown>
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(object[name], depth + 1)}`).join()}}`
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Misuse('a number is beyond what JSON can carry')
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) throw new Misuse('a text is not valid Unicode')
  return JSON.stringify(value)
}

/** time is a moment as the protocols write it, to the second. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** uuid is a new UUID of version 4. */
export function uuid(): string {
  return crypto.randomUUID()
}

// ---- the Agentic Intent Protocol's headers

const skew = 300_000

async function hmac(secret: Uint8Array<ArrayBuffer>, lines: string[]): Promise<string> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return base64(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(lines.join('\n')))))
}

/** IntentKey is a platform's key: its id, and the secret that both sides have. */
export interface IntentKey {
  id: string
  secret: string | Uint8Array
}

function secretOf(key: IntentKey): Uint8Array<ArrayBuffer> {
  return typeof key.secret === 'string' ? utf8(key.secret) : new Uint8Array(key.secret)
}

/**
 * signIntent gives the five headers over a message: a request begins with its method, an answer
 * with its status.
 */
export async function signIntent(
  key: IntentKey,
  version: string,
  first: string,
  path: string,
  body: string,
  now: number,
): Promise<Record<string, string>> {
  const timestamp = timeText(now)
  const nonce = random(16)
  const signature = await hmac(secretOf(key), [first, path, hex(await sha256(utf8(body))), timestamp, nonce])
  return {
    'X-AIP-Version': version,
    'X-AIP-Key-Id': key.id,
    'X-AIP-Timestamp': timestamp,
    'X-AIP-Nonce': nonce,
    'X-AIP-Signature': `v1=${signature}`,
  }
}

/**
 * verifyIntent says whether an answer is signed by the key of its request: "unsigned", "signed" or
 * "forged".
 */
export async function verifyIntent(
  key: IntentKey,
  headers: Headers,
  status: number,
  path: string,
  body: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<'unsigned' | 'signed' | 'forged'> {
  const [version, id, timestamp, nonce, signature] = ['Version', 'Key-Id', 'Timestamp', 'Nonce', 'Signature'].map(
    (name) => headers.get(`X-AIP-${name}`),
  )
  if ([version, id, timestamp, nonce, signature].every((value) => value === null || value === undefined))
    return 'unsigned'
  if (!version || id !== key.id || !timestamp || !nonce || !signature?.startsWith('v1=')) return 'forged'
  if (!(Math.abs(Date.parse(timestamp) - now) <= skew)) return 'forged'
  const want = await hmac(secretOf(key), [String(status), path, hex(await sha256(body)), timestamp, nonce])
  const got = unbase64(signature.slice(3))
  return got && base64(got) === want ? 'signed' : 'forged'
}

// ---- Ed25519

const pkcs8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
const spki = '302a300506032b6570032100'

/**
 * privateKey reads a key in any of its forms. It stays extractable only where its public part is
 * asked for.
 */
export async function privateKey(key: PrivateKey, extractable = false): Promise<Key> {
  if (typeof CryptoKey !== 'undefined' && key instanceof CryptoKey) return key
  const algorithm = { name: 'Ed25519' }
  try {
    if (typeof key === 'string') {
      const body = /-----BEGIN PRIVATE KEY-----([\s\S]+?)-----END PRIVATE KEY-----/.exec(key)?.[1]
      const der = unbase64((body ?? '').replace(/\s/g, ''))
      if (!der?.length) throw new Error('no PEM')
      return await crypto.subtle.importKey('pkcs8', der, algorithm, extractable, ['sign'])
    }
    if (key instanceof Uint8Array) {
      if (key.length !== 32) throw new Error('no seed')
      return await crypto.subtle.importKey('pkcs8', Uint8Array.from([...pkcs8, ...key]), algorithm, extractable, [
        'sign',
      ])
    }
    return await crypto.subtle.importKey('jwk', key as JsonWebKey, algorithm, extractable, ['sign'])
  } catch (error) {
    throw new Misuse(
      'this is no private Ed25519 key; give a CryptoKey, a JWK, PKCS #8 in PEM or 32 bytes ' +
        `(${(error as Error).message})`,
    )
  }
}

/**
 * publicBytes reads an Ed25519 public key as documents write it: 32 bytes or SubjectPublicKeyInfo,
 * in base64 or hex.
 */
export function publicBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  const plain = text.replace(/^ed25519:/, '')
  const read = (plain.length === 64 || plain.length === 88 ? unhex(plain) : undefined) ?? unbase64(plain)
  if (read?.length === 44 && hex(read.subarray(0, 12)) === spki) return read.slice(12)
  return read?.length === 32 ? read : undefined
}

/** signatureBytes reads an Ed25519 signature: 64 bytes in base64, base64url or hex. */
export function signatureBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  const plain = text.replace(/^ed25519:/, '')
  const read = (plain.length === 128 ? unhex(plain) : undefined) ?? unbase64(plain)
  return read?.length === 64 ? read : undefined
}

/** verify says whether a signature is that of a public key over a message. */
export async function verify(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify'])
    return await crypto.subtle.verify({ name: 'Ed25519' }, imported, signature, message)
  } catch {
    return false
  }
}

// ---- HTTP message signatures

/** contentDigest is the value of Content-Digest (RFC 9530) for a body. */
export async function contentDigest(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha-256=:${base64(await sha256(body))}:`
}

/** One signature to be made (RFC 9421): what is covered, with the value of each component. */
interface Signing {
  label: string
  keyId: string
  covered: [component: string, value: string][]
  created: number
  tag?: string
}

async function signMessage(key: Key, s: Signing): Promise<Record<string, string>> {
  const created = Math.floor(s.created / 1000)
  const quoted = (text: string) => {
    if (!/^[\x20-\x7e]*$/.test(text)) throw new Misuse('a key id has characters that cannot stand in a header')
    return `"${text.replace(/(["\\])/g, '\\$1')}"`
  }
  const input =
    `(${s.covered.map(([name]) => name).join(' ')});keyid=${quoted(s.keyId)};alg="ed25519"` +
    `;created=${created};expires=${created + 300};nonce="${uuid()}"` +
    (s.tag ? `;tag=${quoted(s.tag)}` : '')
  const base = [...s.covered.map(([name, value]) => `${name}: ${value}`), `"@signature-params": ${input}`].join('\n')
  const signature = new Uint8Array(await crypto.subtle.sign({ name: 'Ed25519' }, key, utf8(base)))
  return { 'Signature-Input': `${s.label}=${input}`, Signature: `${s.label}=:${base64(signature)}:` }
}

/**
 * Signer signs requests by an Ed25519 key. As Options.agent it says which program asks (Web Bot
 * Auth).
 */
export class Signer {
  private loaded: Promise<{ key: Key; thumbprint: string }> | undefined

  /** name is the address at which the agent's keys are published, or for RAMP the key id. */
  constructor(
    readonly name: string,
    private readonly key: PrivateKey,
  ) {}

  /**
   * signAgent adds the agent's signature to the headers of a request over https; others stay as
   * they are.
   */
  async signAgent(
    method: string,
    url: string,
    headers: Record<string, string>,
    now: number,
  ): Promise<Record<string, string>> {
    const target = new URL(url)
    if (target.protocol !== 'https:') return headers
    const { key, thumbprint } = await (this.loaded ??= this.load(true))
    const agent = `"${this.name}"`
    return {
      ...headers,
      'Signature-Agent': `bot=${agent}`,
      ...(await signMessage(key, {
        label: 'bot',
        keyId: thumbprint,
        created: now,
        tag: 'web-bot-auth',
        covered: [
          ['"@method"', method],
          ['"@authority"', target.host],
          ['"@path"', target.pathname],
          ['"signature-agent";key="bot"', agent],
        ],
      })),
    }
  }

  /** signBody signs method, address and body, as RAMP wants it. */
  async signBody(
    method: string,
    url: string,
    body: string,
    headers: Record<string, string>,
    now: number,
  ): Promise<Record<string, string>> {
    const { key } = await (this.loaded ??= this.load(false))
    const digest = await contentDigest(utf8(body))
    return {
      ...headers,
      'Content-Digest': digest,
      ...(await signMessage(key, {
        label: 'agent',
        keyId: this.name,
        created: now,
        covered: [
          ['"@method"', method],
          ['"@target-uri"', url],
          ['"content-digest"', digest],
        ],
      })),
    }
  }

  private async load(named: boolean): Promise<{ key: Key; thumbprint: string }> {
    const key = await privateKey(this.key, named)
    if (!named) return { key, thumbprint: '' }
    if (!key.extractable)
      throw new Misuse(
        "the name of an agent's key is made of its public part; give an extractable CryptoKey, or another form",
      )
    const { x } = await crypto.subtle.exportKey('jwk', key)
    const thumbprint = base64(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)))
    return { key, thumbprint: thumbprint.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '') }
  }
}
