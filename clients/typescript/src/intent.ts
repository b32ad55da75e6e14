// Asking publishers for excerpts by the Agentic Intent Protocol, as a platform.
import { word } from './answer.js'
import { Misuse } from './errors.js'
import { Denied, Failed, Forged, Invalid, Unsigned } from './intent/errors.js'
import { declared, failed, judge } from './intent/judge.js'
import type { Declaration, IntentEvent, RetrieveRequest, RetrieveResponse } from './intent/judge.js'
import { parseReceipt } from './receipt.js'
import type { Receipt } from './receipt.js'
import { hex, random, sha256, signIntent, timeText, utf8, verifyIntent } from './sign.js'
import type { IntentKey } from './sign.js'
import { Transport, addressOf, members } from './transport.js'
import type { Call, Options, Whole } from './transport.js'

export { Broken, FrontdeskError, Misuse, Unreachable } from './errors.js'
export * from './intent/errors.js'
export type { Declaration, IntentEvent, RetrieveRequest, RetrieveResponse } from './intent/judge.js'
export type { IntentKey } from './sign.js'
export type { Call, Options } from './transport.js'

/** Platform is who asks. */
export interface Platform {
  /** As the key was issued for. */
  id: string
  key: IntentKey
  software?: string
  softwareVersion?: string
  /** Refuse excerpts whose answer is not signed. */
  requireSigned?: boolean
}

/** Retrieval is a request for excerpts, in answer to a person's request that happens now. */
export interface Retrieval extends Call {
  /** What is asked about, such as food. */
  domain: string
  subdomain?: string
  /** In the domain, 0 to 1. */
  confidence?: number
  /** Of the conversation; en-US without it. */
  language?: string
  country?: string
  placement?: string
  /** The conversation, which names no person; one of its own without it. */
  session?: string
  turn?: number
  /** What is asked, in words. */
  query?: string
  /**
   * Milliseconds that the answer may take, as the publisher sees it; that of timeout without it.
   */
  latency?: number
  extensions?: Record<string, unknown>
}

/**
 * Passages are the excerpts that a publisher gave, for the one request that they were asked for.
 */
export interface Passages {
  chunks: { id: string; text: string; token_count?: number }[]
  citations: { source_url: string; title?: string; publisher?: string; chunk_ids?: string[] }[]
  /** The answer was signed, and the signature is right. */
  signed: boolean
  /** Where the receipt is; empty for none. */
  receiptUrl: string
  request: RetrieveRequest
  answer: RetrieveResponse
}

/** What a person was shown. */
export interface Shown {
  /** The source_url of a citation. */
  source: string
  /** Where: answer, footnote, hover or another word. */
  surface: string
  /** Of the event; the same id is the same event. */
  id?: string
  at?: Date
}

const maxDocument = 1 << 20
const maxAnswer = 64 << 20
const busy = [429, 500, 502, 503, 504]
/**
 * Statuses that are tried again make the body's timestamp older; beyond this it would be refused.
 */
const fresh = 270_000

/**
 * Publisher asks one publisher. Open it again after some minutes: a declaration does not hold for
 * ever.
 */
export class Publisher {
  private constructor(
    private readonly transport: Transport,
    private readonly platform: Platform,
    readonly declaration: Declaration,
  ) {}

  /** open reads the declaration of a publisher, at its site's address or its own. */
  static async open(address: string | URL, platform: Platform, options: Options & Call = {}): Promise<Publisher> {
    if (!platform.id || !platform.key.id || platform.key.secret.length === 0)
      throw new Misuse(
        'a publisher wants to know who asks: give the id of the platform, and its key with id and secret',
      )
    const url = addressOf(address)
    if (!url.pathname.endsWith('.json')) url.pathname = url.pathname.replace(/\/$/, '') + '/.well-known/aip.json'
    const transport = new Transport(options)
    const got = await transport.whole(
      { url: url.href, headers: { Accept: 'application/json' }, redirects: true, repeatable: true },
      maxDocument,
      options,
    )
    if (got.status !== 200) throw new Invalid(got.url, got.status, 'there is no declaration here, and so no permission')
    const declaration = members(got.bytes)
    const problem = declared(declaration, url.protocol === 'https:')
    if (!declaration || problem) throw new Invalid(got.url, got.status, problem, declaration)
    return new Publisher(transport, platform, declaration as unknown as Declaration)
  }

  /**
   * retrieve asks for excerpts. A busy publisher is asked again with the same request, which counts
   * once.
   */
  async retrieve(r: Retrieval): Promise<Passages> {
    const closed = this.closed()
    if (closed) throw new Denied('access_disabled', closed, { status: 0 })
    const url = this.declaration.endpoints?.retrieve?.url
    if (!url) throw new Denied('unsupported', 'the declaration names no address for requests', { status: 0 })
    const request = this.request(r)
    const got = await this.signed('POST', url, JSON.stringify(request), r)
    const answer = members(got.bytes) as RetrieveResponse | undefined
    const problem = judge(answer, request, this.declaration)
    const about = { status: got.status, retryAfter: got.retryAfter, raw: answer }
    const anonymous = answer?.status === 'error' && !answer.request_id // from before the request was read
    if (!answer || (problem && !anonymous))
      throw (
        (got.status >= 400 && !answer?.request_id && failed(got)) || new Invalid(got.url, got.status, problem, answer)
      )
    if (answer.denial) throw new Denied(answer.denial.reason, answer.denial.message ?? '', about)
    if (answer.error) throw new Failed(answer.error.code, answer.error.message ?? '', about)
    if (got.status !== 200)
      throw new Invalid(got.url, got.status, 'excerpts come with a status that is not 200', answer)
    if (this.platform.requireSigned && !got.signed) throw new Unsigned()
    return {
      chunks: answer.content?.chunks ?? [],
      citations: answer.citations ?? [],
      signed: got.signed,
      receiptUrl: word((answer.extensions as Record<string, unknown> | undefined)?.['frontdesk.receipt']),
      request,
      answer,
    }
  }

  /** cite tells the publisher of a citation that a person was shown, until the publisher has it. */
  async cite(passages: Passages, shown: Shown, call: Call = {}): Promise<void> {
    const citation = passages.citations.find((each) => each.source_url === shown.source)
    if (!citation) throw new Misuse(`${shown.source} is none of the answer's sources`)
    const event = this.event(
      'citation',
      shown.id ?? `evt_${random(16)}`,
      passages.request.request_id,
      timeText(shown.at?.getTime() ?? this.transport.now()),
    )
    await this.report(
      {
        ...event,
        citation: { source_url: shown.source, chunk_ids: citation.chunk_ids ?? [], display_surface: shown.surface },
      },
      call,
    )
  }

  /** confirm tells the publisher what the platform took, for it to hold against its record. */
  async confirm(passages: Passages, call: Call = {}): Promise<void> {
    const { request, answer, chunks } = passages
    const parts = [this.declaration.publisher.id, this.platform.id, request.request_id].map(
      (part) => `${utf8(part).length}:${part},`,
    )
    const id = `platform_access_${hex(await sha256(utf8(parts.join('')))).slice(0, 32)}`
    const tokens = chunks.reduce((sum, chunk) => sum + (chunk.token_count ?? Math.ceil([...chunk.text].length / 4)), 0)
    const event = this.event('access', id, request.request_id, answer.timestamp)
    await this.report(
      { ...event, access: { chunks_returned: chunks.length, token_count: tokens, retrieval_mode: 'chunks' } },
      call,
    )
  }

  /** report sends an event. */
  async report(event: IntentEvent, call: Call = {}): Promise<void> {
    const url = this.declaration.endpoints?.event?.url
    if (!url) throw new Misuse('the declaration names no address for events')
    const got = await this.signed('POST', url, JSON.stringify(event), call)
    if (got.status >= 200 && got.status < 300) return
    throw failed(got) ?? new Invalid(got.url, got.status, `events are answered ${got.status}`)
  }

  /**
   * receipt gets the receipt of excerpts, waiting until it is there. Keep it: verifyReceipt says
   * years later whether it is true.
   */
  async receipt(passages: Passages, call: Call = {}): Promise<Receipt> {
    const { receiptUrl } = passages
    const own = this.declaration.endpoints?.retrieve?.url
    if (!receiptUrl) throw new Misuse('the publisher gives no receipt for this')
    if (!own || new URL(own).origin !== addressOf(receiptUrl).origin)
      throw new Misuse(`${receiptUrl} is not at the publisher, whom alone a signature is for`)
    const got = await this.signed('GET', receiptUrl, undefined, call)
    if (got.status !== 200)
      throw failed(got) ?? new Invalid(got.url, got.status, 'a receipt is answered otherwise than by 200')
    return parseReceipt(new TextDecoder().decode(got.bytes))
  }

  private closed(): string | undefined {
    const { enabled, state } = this.declaration.intent_access as { enabled: boolean; state?: string }
    if (!enabled) return 'access is not enabled'
    if (state && state !== 'active') return `access is ${state}`
    const { sunset } = this.declaration.compliance as { sunset?: string }
    return sunset && !(this.transport.now() < Date.parse(`${sunset}T00:00:00Z`) + 86_400_000)
      ? `the declaration ended with ${sunset}`
      : undefined
  }

  private request(r: Retrieval): RetrieveRequest {
    const { id, software, softwareVersion } = this.platform
    const latency = r.latency ?? r.timeout
    return plain({
      aip_version: this.declaration.aip_version,
      request_id: `req_${random(16)}`,
      timestamp: timeText(this.transport.now()),
      platform: { id, software, software_version: softwareVersion },
      intent: { domain: r.domain, subdomain: r.subdomain, confidence: r.confidence },
      context: {
        language: r.language ?? 'en-US',
        geography: r.country ? { country: r.country } : undefined,
        placement: r.placement,
      },
      runtime: {
        session_id: r.session ?? `s_${random(16)}`,
        turn_index: r.turn ?? 0,
        query_text: r.query || undefined,
        latency_budget_ms: latency === undefined ? undefined : Math.max(1, Math.round(latency)),
      },
      extensions: r.extensions,
    }) as unknown as RetrieveRequest
  }

  private event(type: 'access' | 'citation', id: string, request: string, timestamp: string): IntentEvent {
    const { id: publisher, domain } = this.declaration.publisher
    return {
      aip_version: this.declaration.aip_version,
      event_id: id,
      event_type: type,
      timestamp,
      request_id: request,
      publisher: { id: publisher, domain },
      platform: { id: this.platform.id },
    } as IntentEvent
  }

  /**
   * signed sends a body under a signature until it is answered. Each attempt has its own nonce and
   * time.
   */
  private async signed(
    method: 'GET' | 'POST',
    url: string,
    body: string | undefined,
    call: Call,
  ): Promise<Whole & { signed: boolean }> {
    const target = new URL(url)
    const path = target.pathname + target.search
    const { transport, platform } = this
    const began = transport.now()
    const got = await transport.whole(
      {
        url,
        method,
        repeatable: true,
        busy,
        ...(body === undefined ? {} : { body }),
        mayWait: (wait) => transport.now() - began + wait <= fresh,
        sign: async (headers) => ({
          ...headers,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          Accept: 'application/json',
          'Accept-Encoding': 'identity', // the signature is over the bytes on their way
          ...(await signIntent(platform.key, this.declaration.aip_version, method, path, body ?? '', transport.now())),
        }),
      },
      transport.limit(maxAnswer),
      { signal: call.signal, timeout: call.timeout },
    )
    const state = await verifyIntent(platform.key, got.headers, got.status, path, got.bytes, transport.now())
    if (state === 'forged') throw new Forged()
    return { ...got, signed: state === 'signed' }
  }
}

/** plain leaves out what is undefined, at any depth. */
function plain(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>
}
