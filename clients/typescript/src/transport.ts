// Requests by fetch: bounded in size, silence and time, and asked again where that is safe.
import { Broken, FrontdeskError, Misuse, Unreachable } from './errors.js'
import type { Signer } from './sign.js'

/** Options are settings of every client; all have defaults. Times are in milliseconds. */
export interface Options {
  /** Makes the requests; globalThis.fetch without it. */
  fetch?: typeof fetch
  /** API key or access token, sent as a bearer token; a function is called for each attempt. */
  token?: string | (() => string | Promise<string>)
  /** User-Agent header, where the platform lets it be set. */
  userAgent?: string
  /** Bytes of one answer at most; 64 MiB, and 1 MiB for documents and intakes. */
  maxAnswer?: number
  /** Bytes of one event of a stream at most; 8 MiB. */
  maxEvent?: number
  /** How often a question is asked again where the server is too busy; 3. */
  retries?: number
  /** The longest wait before one retry; 30 seconds. */
  maxWait?: number
  /** How long a server may stay silent before its answer begins and within it; one minute. */
  silence?: number
  /** The clock for signatures and offers, in milliseconds since 1970; Date.now. */
  now?: () => number
  /** Signs each request over https, so that a site can verify which program asks (Web Bot Auth). */
  agent?: Signer
}

/** What every call takes. */
export interface Call {
  signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, with its retries. */
  timeout?: number | undefined
}

/** A request that can be made again. */
export interface Outgoing {
  url: string
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Record<string, string>
  body?: string
  /** Gives headers that are made anew for each attempt, such as a signature. */
  sign?: (headers: Record<string, string>) => Promise<Record<string, string>>
  /** Send the token. It is for the server that is asked, not for whatever documents lead to. */
  authorized?: boolean
  /** Follow redirects that keep the request; otherwise none. */
  redirects?: boolean
  /**
   * Making it twice does no more than making it once, so that what broke off on its way may be sent
   * again.
   */
  repeatable?: boolean
  /** Statuses after which the request is made again; 429 and 503. */
  busy?: readonly number[]
  /** Whether a wait for another attempt is still worth it. */
  mayWait?: (milliseconds: number) => boolean
}

const noTime = [429, 503] as const
const firstWait = 500
const maxRedirects = 5

/** Transport makes requests with the defaults filled in. */
export class Transport {
  readonly maxEvent: number
  readonly now: () => number
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
    this.maxEvent = options.maxEvent ?? 8 << 20
    this.now = options.now ?? Date.now
  }

  /** limit is the most that is read of an answer. */
  limit(fallback: number): number {
    return this.options.maxAnswer ?? fallback
  }

  /** request makes a request until the server has time. The caller reads or closes the reply. */
  request(out: Outgoing, limit: number, call: Call = {}): Promise<Reply> {
    return this.persist(out, limit, call, async (reply) => reply)
  }

  /**
   * whole is request, and reads the answer; what breaks off within it is asked again like the rest
   * of the way.
   */
  whole(out: Outgoing, limit: number, call: Call = {}): Promise<Whole> {
    return this.persist(out, limit, call, async (reply) => ({
      url: reply.url,
      status: reply.status,
      headers: reply.headers,
      retryAfter: reply.retryAfter,
      bytes: await reply.bytes(),
    }))
  }

  private async persist<T>(out: Outgoing, limit: number, call: Call, take: (reply: Reply) => Promise<T>): Promise<T> {
    const signal = joined(call)
    for (let attempt = 0; ; attempt++) {
      let reply: Reply | undefined
      try {
        reply = await this.attempt(out, limit, signal)
        const busy = (out.busy ?? noTime).includes(reply.status)
        const wait = busy ? this.patience(reply.retryAfter, attempt) : undefined
        if (wait === undefined || out.mayWait?.(wait) === false) return await take(reply)
        await reply.cancel()
        await sleep(wait, signal)
      } catch (error) {
        const wait = out.repeatable && passing(error) ? this.patience(undefined, attempt) : undefined
        if (signal?.aborted || wait === undefined || out.mayWait?.(wait) === false) throw error
        await sleep(wait, signal)
      }
    }
  }

  /** patience is how long to wait before one more attempt, in milliseconds; undefined for none. */
  private patience(retryAfter: number | undefined, attempt: number): number | undefined {
    const maxWait = this.options.maxWait ?? 30_000
    const asked = (retryAfter ?? 0) * 1000
    if (attempt >= (this.options.retries ?? 3) || asked > maxWait) return undefined
    // Not all who were turned away together shall come back together.
    if (asked > 0) return asked * (1 + Math.random() / 8)
    const wait = Math.min(firstWait * 2 ** attempt, maxWait)
    return wait / 2 + (Math.random() * wait) / 2
  }

  private async attempt(out: Outgoing, limit: number, outer: AbortSignal | undefined): Promise<Reply> {
    let url = out.url
    let withToken = true
    for (let redirects = 0; ; redirects++) {
      const watch = new Watch(outer, this.options.silence ?? 60_000)
      let response: Response
      try {
        response = await watch.during(this.send(out, url, withToken, watch.signal))
      } catch (error) {
        watch.end()
        outer?.throwIfAborted()
        if (error instanceof FrontdeskError) throw error
        throw watch.silent ? new Broken(bare(url), 'SILENT') : new Unreachable(bare(url), error)
      }
      const next = out.redirects && redirects < maxRedirects ? moved(response, url, out.method ?? 'GET') : undefined
      if (!next) return new Reply(bare(url), response, watch, limit, outer)
      watch.end()
      void response.body?.cancel()
      withToken &&= new URL(next).host === new URL(url).host
      url = next
    }
  }

  private async send(out: Outgoing, url: string, withToken: boolean, signal: AbortSignal): Promise<Response> {
    let headers: Record<string, string> = { ...out.headers }
    if (this.options.userAgent) headers['User-Agent'] = this.options.userAgent
    const { token } = this.options
    if (token && withToken && out.authorized) {
      const value = typeof token === 'function' ? await token() : token
      if (value) headers.Authorization = `Bearer ${value}`
    }
    const method = out.method ?? 'GET'
    if (out.sign) headers = await out.sign(headers)
    else if (this.options.agent) headers = await this.options.agent.signAgent(method, url, headers, this.now())
    const ask = this.options.fetch ?? globalThis.fetch
    const init: RequestInit = { method, headers, signal, redirect: 'manual' }
    if (out.body !== undefined) init.body = out.body
    return ask(url, init)
  }
}

/** moved is where a redirect leads that keeps the request; undefined for what is none. */
function moved(response: Response, url: string, method: string): string | undefined {
  if (response.type === 'opaqueredirect') {
    throw new Misuse(`${bare(url)} redirects, which this platform does not show; use the address that it leads to`)
  }
  const location = response.headers.get('Location')
  if (response.status < 300 || response.status > 399 || response.status === 304 || !location) return undefined
  const next = new URL(location, url)
  if (method !== 'GET' && response.status !== 307 && response.status !== 308) {
    throw new Misuse(
      `the server has moved to ${bare(next.href)} by a redirect that loses the question; use that address`,
    )
  }
  if (url.startsWith('https:') && next.protocol !== 'https:') {
    throw new Misuse(`${bare(url)} redirects to ${bare(next.href)}, which is not secured`)
  }
  return next.href
}

/** passing says whether an error may be gone with the next attempt. */
function passing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Broken && error.code !== 'TOO_LARGE')
}

/** A response that was read whole. */
export interface Whole {
  url: string
  status: number
  headers: Headers
  bytes: Uint8Array<ArrayBuffer>
  retryAfter: number | undefined
}

/** Reply is a response with a body that is watched for size and silence. */
export class Reply {
  readonly status: number
  readonly headers: Headers
  readonly retryAfter: number | undefined
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private left: number

  constructor(
    readonly url: string,
    response: Response,
    private readonly watch: Watch,
    limit: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.status = response.status
    this.headers = response.headers
    this.retryAfter = retryAfter(response.headers)
    this.reader = response.body?.getReader()
    this.left = limit
  }

  /** streams says whether it is a stream of events. */
  get streams(): boolean {
    return /^text\/event-stream\b/i.test(this.headers.get('Content-Type') ?? '')
  }

  /** chunk gives the next bytes; undefined at the end. */
  async chunk(): Promise<Uint8Array | undefined> {
    if (!this.reader) return undefined
    try {
      const { value, done } = await this.watch.during(this.reader.read())
      if (done) {
        this.watch.end()
        return undefined
      }
      this.left -= value.byteLength
      if (this.left >= 0) return value
    } catch (error) {
      this.watch.end()
      this.outer?.throwIfAborted()
      throw new Broken(this.url, this.watch.silent ? 'SILENT' : 'CONNECTION', error)
    }
    await this.cancel()
    throw new Broken(this.url, 'TOO_LARGE')
  }

  /** bytes reads all of it. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = []
    let size = 0
    for (let part = await this.chunk(); part; part = await this.chunk())
      size += parts[parts.push(part) - 1]?.byteLength ?? 0
    const all = new Uint8Array(size)
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.byteLength
    }
    return all
  }

  /** cancel lets the response go. */
  async cancel(): Promise<void> {
    this.watch.end()
    await this.reader?.cancel().catch(() => undefined)
  }
}

/**
 * Watch ends a request whose server stays silent. Its clock runs while somebody waits for the
 * server.
 */
class Watch {
  silent = false
  private readonly controller = new AbortController()
  private readonly abort = () => this.controller.abort(this.outer?.reason)

  constructor(
    private readonly outer: AbortSignal | undefined,
    private readonly silence: number,
  ) {
    outer?.addEventListener('abort', this.abort)
    if (outer?.aborted) this.abort()
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** during waits for something, no longer than the silence that is borne. */
  async during<T>(wait: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined
    let end = () => {}
    const stop = new Promise<never>((_, reject) => {
      end = () => reject(this.signal.reason)
      if (this.signal.aborted) return end()
      this.signal.addEventListener('abort', end)
      timer = setTimeout(() => {
        this.silent = true
        this.controller.abort(new DOMException('the server stayed silent', 'TimeoutError'))
      }, this.silence)
    })
    try {
      return await Promise.race([wait, stop])
    } finally {
      clearTimeout(timer)
      this.signal.removeEventListener('abort', end)
      wait.catch(() => undefined)
      stop.catch(() => undefined)
    }
  }

  /** end stops watching, and listening to the caller. */
  end(): void {
    this.outer?.removeEventListener('abort', this.abort)
  }
}

/** joined is one signal for that of the caller and its timeout. */
export function joined(call: Call): AbortSignal | undefined {
  if (call.timeout === undefined) return call.signal
  const limit = AbortSignal.timeout(call.timeout)
  return call.signal ? AbortSignal.any([call.signal, limit]) : limit
}

/** sleep waits, or ends with the signal. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** retryAfter reads Retry-After (RFC 9110 §10.2.3), in seconds. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000)
}

/** bare is an address without its query, in which a signature may stand that opens it. */
export function bare(url: string): string {
  return url.replace(/[?#].*$/, '')
}

/** addressOf reads a web address. */
export function addressOf(address: string | URL): URL {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw new Misuse(`"${address}" is no web address; write it like https://www.example.com`)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Misuse(`"${address}" is no web address; write it like https://www.example.com`)
  }
  if (url.username || url.password)
    throw new Misuse(`the address of ${url.host} holds a password; give it as the option token`)
  url.hash = ''
  return url
}

/** secured refuses addresses that others on the way could read: http is for this machine alone. */
export function secured(address: string): URL {
  const url = addressOf(address)
  const own = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'https:' || own) return url
  throw new Misuse(`${url.origin} is not https, and http is for this machine alone; ask the owner for https`)
}

/** findable is where a service's document is, from the address of its site or its own. */
export function findable(address: string | URL, document: string): string {
  const url = secured(addressOf(address).href)
  if (!url.pathname.endsWith('.json')) url.pathname = url.pathname.replace(/\/$/, '') + document
  return url.href
}

/** members is the JSON object that bytes or a text hold; undefined for anything else. */
export function members(from: string | Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(typeof from === 'string' ? from : new TextDecoder().decode(from))
    return isObject(value) && shallow(value, maxDepth) ? value : undefined
  } catch {
    return undefined
  }
}

/** maxDepth is how deep objects and arrays of a stranger may nest. */
const maxDepth = 100

function shallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return left > 0 && Object.values(value).every((each) => shallow(each, left - 1))
}

/** isObject says whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
