// Buying licensed content from Exchanges of RAMP v1, by Connect's JSON over HTTP.
import { list, word } from './answer.js'
import { Misuse } from './errors.js'
import type * as wire from './generated/ramp.js'
import { Signer, base64, canonical, hex, sha256, signatureBytes, unbase64, utf8, uuid, verify } from './sign.js'
import type { PrivateKey } from './sign.js'
import { Transport, bare, findable, isObject, members, secured } from './transport.js'
import { Damaged, NotAnExchange, NotDisputed, OtherContent, Rejected } from './ramp/errors.js'
import type { Content } from './ramp/errors.js'
import { hashOf, holds } from './ramp/contenthash.js'
import { absent, clean, costOf, dropEmpty, failure, functionOf, keyOf, member, named } from './ramp/message.js'
import type { Key } from './ramp/message.js'
import type { Call, Options } from './transport.js'

export { Broken, FrontdeskError, Misuse, Unreachable } from './errors.js'
export * from './ramp/errors.js'
export { costOf } from './ramp/message.js'
export type { PrivateKey } from './sign.js'
export type { Call, Options } from './transport.js'
export type * as wire from './generated/ramp.js'
export type Offer = wire.Offer

/** Buyer is who buys. */
export interface Buyer {
  /** What its domain calls it. */
  id: string
  /** Which publishes its keys at /.well-known/ramp-agent.json. */
  domain: string
  /** Signs every request; most Exchanges refuse what is not signed. */
  key?: PrivateKey
  /** What the domain's document calls the key; needed where it has several. */
  keyId?: string
  scopes?: string[]
  /** A licence or subscription that the Exchange gave. */
  licence?: string
  delegation?: wire.Delegation
}

/** Wanted is what a buyer asks offers for. */
export interface Wanted extends Call {
  uris: string[]
  /** What for, as "ai-input" or "FUNCTION_AI_INPUT". */
  uses?: string[]
  /** Keys of ext that the program understands: offers that need others are passed over. */
  critical?: string[]
}

/** Quote is what is offered for one address. */
export interface Quote {
  uri: string
  /** Those that the Exchange has signed, and that the program understands. */
  offers: Offer[]
  /** Why there is no offer; empty where there are some. */
  absence: string
  /** Why offers were passed over. */
  passed: Error[]
}

/** Bought is what came of taking an offer. Write it down before deliver: it is JSON. */
export interface Bought {
  offer: Offer
  /** Why it was not bought; empty when it was. */
  denied: string
  transaction: string
  billing: string
  cost: wire.Cost | undefined
  /** More was charged than the offer says, or in another currency: dispute it. */
  overcharged: boolean
  /** From which it can be fetched for a few minutes, by whoever has it. */
  url: string
  result: wire.TransactionResultItem
}

/** Use is a report on how something bought was used. */
export interface Use {
  /** In the offer's unit. */
  quantity: number
  /** What for, as "ai-input". */
  uses?: string[]
  displayed?: boolean
  cited?: boolean
  attribution?: wire.AttributionDetail[]
  /** Of the report; the same id is the same report. */
  id?: string
  at?: Date
}

/** Dispute is a dispute of something bought. */
export interface Dispute {
  /** Of the report, which report gives. */
  report: string
  /**
   * delivery-failed, content-mismatch, incomplete-content, wrong-content or expired-before-fetch.
   */
  reason: string
  description?: string
  /** SHA-256 of what came, in hex. */
  hash?: string
  /** Of the request; the same id asks where it stands. */
  id?: string
}

/** Disputed is where a dispute stands. */
export interface Disputed {
  dispute: string
  /** FILED, AUTO_RESOLVED, ... */
  status: string
  /** Empty while there is none. */
  resolution: string
  explanation: string
  answer: wire.DisputeResponse
}

const manifestPath = '/.well-known/ramp-exchange.json'
const maxDocument = 1 << 20
const maxAnswer = 64 << 20
const attempt = 30_000
const maxOffers = 100

/** Exchange is one Exchange of RAMP v1. */
export class Exchange {
  private keys: Key[] = []
  private readonly base: string
  private readonly signer: Signer | undefined

  private constructor(
    private readonly transport: Transport,
    private readonly buyer: Buyer,
    readonly manifest: wire.ExchangeManifest,
  ) {
    this.base = `${word(manifest.exchange_endpoint).replace(/\/$/, '')}/ramp.v1.ExchangeService/`
    secured(this.base)
    secured(word(manifest.keys_uri))
    this.signer =
      buyer.key === undefined ? undefined : new Signer(buyer.domain + (buyer.keyId ? `#${buyer.keyId}` : ''), buyer.key)
  }

  /** open reads the manifest and the keys of an Exchange, at its address or the manifest's own. */
  static async open(address: string | URL, buyer: Buyer, options: Options & Call = {}): Promise<Exchange> {
    if (!buyer.id || !buyer.domain)
      throw new Misuse("an Exchange wants to know who buys: give the buyer's id and domain")
    const transport = new Transport(options)
    const url = findable(address, manifestPath)
    const { told } = await document(transport, url, options)
    const problem = !word(told.exchange_endpoint)
      ? 'the manifest has no exchange_endpoint'
      : !word(told.keys_uri)
        ? 'the manifest has no keys_uri'
        : !list(told.protocol_versions_supported).includes('1.0')
          ? 'the manifest does not name the version 1.0'
          : ''
    if (problem) throw new NotAnExchange(url, problem)
    const exchange = new Exchange(transport, buyer, told as wire.ExchangeManifest)
    await exchange.refresh(options)
    return exchange
  }

  /** discover asks what is offered, and verifies the signature of every offer. */
  async discover(wanted: Wanted): Promise<Quote[]> {
    if (wanted.uris.length === 0) throw new Misuse('give at least one address')
    const requester = {
      ...this.requester(),
      uris: wanted.uris,
      ...(wanted.uses?.length ? { intended_use: wanted.uses.map(functionOf) } : {}),
    }
    const { raw } = await this.call('DiscoverResources', { ver: '1.0', id: uuid(), requester }, wanted)
    const groups = list(member(raw, 'offer_groups')).filter(isObject)
    const alone = list(member(raw, 'offers'))
    const all = alone.length > 0 ? [{ uri: wanted.uris[0], offers: alone }] : groups
    const state = { fresh: false }
    const quotes: Quote[] = []
    for (const group of all) {
      const quote: Quote = {
        uri: word(member(group, 'uri')),
        offers: [],
        absence: absent(word(member(group, 'absence_reason'))),
        passed: [],
      }
      for (const came of list(member(group, 'offers'))) {
        try {
          quote.offers.push(await this.good(came, wanted, state))
        } catch (error) {
          if (!(error instanceof NotAnExchange)) throw error
          quote.passed.push(error)
        }
      }
      quotes.push(quote)
    }
    return quotes
  }

  /**
   * execute buys offers that discover gave. The id makes it one purchase: whoever is not sure
   * whether it was made calls again with the same id and offers, and buys nothing twice.
   */
  async execute(offers: Offer | Offer[], purchase: { id?: string } & Call = {}): Promise<Bought[]> {
    const all = [offers].flat()
    if (all.length === 0 || all.length > maxOffers) throw new Misuse(`a purchase takes 1 to ${maxOffers} offers`)
    const id = purchase.id ?? uuid()
    const items = all.map((offer) => ({ offer_id: offer.offer_id, offer_signature: offer.exchange_signature }))
    const { told } = await this.call(
      'ExecuteTransaction',
      { ver: '1.0', id, requester: this.requester(), ...(all.length === 1 ? items[0] : { items }) },
      purchase,
    )
    const answer = told as wire.TransactionResponse
    const results = answer.items?.length
      ? answer.items
      : all.length === 1
        ? [{ ...answer, offer_id: all[0]?.offer_id } as wire.TransactionResultItem]
        : []
    const strange = (problem: string) => new NotAnExchange(this.base, `the answer to the purchase ${problem}`)
    if (answer.id !== id || results.length !== all.length) throw strange('is about something else')
    return all.map((offer, i) => {
      const result = results[i] as wire.TransactionResultItem
      if (result.offer_id !== offer.offer_id) throw strange('names other offers, or in another order')
      const denied = absent(word(result.denial_reason))
      const bought = {
        offer,
        denied,
        transaction: word(result.transaction_id),
        billing: word(result.billing_id),
        cost: result.cost,
        overcharged: !denied && overcharged(result.cost, offer),
        url: word(result.package?.retrieval?.endpoint),
        result,
      }
      if (!denied && (!bought.transaction || !bought.billing)) throw strange('has no transaction_id or no billing_id')
      return bought
    })
  }

  /**
   * deliver fetches what was bought, and holds it against the hash of its offer, or else its own
   * digest.
   */
  async deliver(bought: Bought, options: { accept?: string[] } & Call = {}): Promise<Content> {
    if (!bought.url) throw new Misuse('the Exchange names no address from which this can be fetched')
    secured(bought.url)
    const accept = options.accept ?? []
    const headers: Record<string, string> = {
      Accept:
        accept.map((type, i) => type + (i ? `;q=${Math.max(0.1, 1 - i / 10).toFixed(1)}` : '')).join(', ') || '*/*',
      'Accept-Encoding': 'identity',
    }
    const { licence } = this.buyer
    if (licence && bought.url.includes(hex(await sha256(utf8(licence))))) headers['X-Agent-License-Id'] = licence
    // The address opens the content to whoever has it: no token and no signature goes with it.
    const got = await this.transport.whole(
      { url: bought.url, headers, sign: async (own) => own, repeatable: true, busy: [429, 500, 502, 503, 504] },
      this.transport.limit(maxAnswer),
      { signal: options.signal, timeout: options.timeout },
    )
    if (got.status !== 200) throw failure(got, this.transport.now())
    const content: Content = {
      media: got.headers.get('Content-Type') ?? '',
      bytes: got.bytes,
      text: new TextDecoder().decode(got.bytes),
      offered: false,
      near: false,
      digested: false,
    }
    const sum = await sha256(got.bytes)
    const digest = /(?:^|,)\s*sha-256=:([^:]+):/i.exec(got.headers.get('Repr-Digest') ?? '')?.[1]
    if (digest !== undefined && base64(unbase64(digest) ?? new Uint8Array()) !== base64(sum)) throw new Damaged(content)
    content.digested = digest !== undefined
    const { identity } = bought.offer
    const told = hashOf(identity?.content_hash, identity?.hash_method)
    if (!told) return content
    const good = await holds(told, got.bytes)
    content.offered = good && told.method === 'sha256'
    content.near = good && told.method === 'simhash-v1'
    const still = identity?.resource_mutability === 'RESOURCE_MUTABILITY_STATIC' && accept.length === 0
    if (!good && still) throw new OtherContent(content)
    return content
  }

  /** report reports how something bought was used, and gives the id of the report. */
  async report(bought: Bought, use: Use, call: Call = {}): Promise<string> {
    this.mustHave(bought, 'report')
    if (!Number.isInteger(use.quantity) || use.quantity < 0 || use.quantity > 0x7fffffff)
      throw new Misuse('a report counts whole units of the offer; look whether the unit is another')
    const { pricing, identity, package: pack } = bought.offer
    const uri = identity?.canonical_url
    const { told } = await this.call(
      'ReportUsage',
      clean({
        ver: '1.0',
        id: use.id ?? uuid(),
        transaction_id: bought.transaction,
        billing_id: bought.billing,
        exchange: this.manifest.domain,
        timestamp: new Date(use.at ?? this.transport.now()).toISOString().replace('.000Z', 'Z'),
        usage: {
          function: use.uses?.length ? use.uses.map(functionOf) : undefined,
          consumed_quantity: use.quantity || undefined,
          consumed_unit: pricing?.unit || undefined,
          displayed_to_user: use.displayed,
          citation_included: use.cited,
          attribution: use.attribution,
        },
        assets: uri ? [{ uri, title: pack?.title || undefined, package_id: pack?.id || undefined }] : undefined,
      }),
      call,
    )
    const answer = told as wire.UsageReportResponse
    if (!answer.accepted) throw new Rejected(word(answer.rejection_reason))
    return word(answer.report_id)
  }

  /** dispute disputes something bought, or, with the same id, says where that stands. */
  async dispute(bought: Bought, dispute: Dispute, call: Call = {}): Promise<Disputed> {
    this.mustHave(bought, 'dispute')
    const reason = dispute.reason.startsWith('DISPUTE_REASON_')
      ? dispute.reason
      : `DISPUTE_REASON_${dispute.reason.toUpperCase().replace(/-/g, '_')}`
    const { told } = await this.call(
      'DisputeTransaction',
      clean({
        ver: '1.0',
        id: dispute.id ?? uuid(),
        transaction_id: bought.transaction,
        billing_id: bought.billing,
        report_id: dispute.report,
        reason,
        description: dispute.description,
        received_content_hash: dispute.hash,
        received_hash_method: dispute.hash ? 'sha256' : undefined,
      }),
      call,
    )
    const answer = told as wire.DisputeResponse
    if (!answer.accepted) throw new NotDisputed(word(answer.rejection_reason), word(answer.dispute_id))
    return {
      dispute: word(answer.dispute_id),
      status: word(answer.status).replace('DISPUTE_STATUS_', ''),
      resolution: word(answer.resolution).replace('RESOLUTION_TYPE_', ''),
      explanation: word(answer.ext?.['ramp.explanation']),
      answer,
    }
  }

  private mustHave(bought: Bought, what: string): void {
    if (bought.denied || !bought.transaction) throw new Misuse(`this was not bought, so there is nothing to ${what}`)
  }

  private requester(): Record<string, unknown> {
    const { id, domain, scopes, licence, delegation } = this.buyer
    return {
      id,
      domain,
      type: delegation ? 'REQUESTER_TYPE_DELEGATED' : 'REQUESTER_TYPE_AGENT',
      ...(scopes?.length ? { scopes } : {}),
      ...(licence ? { license_id: licence } : {}),
      ...(delegation ? { delegation } : {}),
    }
  }

  /**
   * good gives an offer that is well-formed, in time, understood, and signed by the Exchange, all
   * of it as it came.
   */
  private async good(came: unknown, wanted: Wanted, state: { fresh: boolean }): Promise<Offer> {
    const offer = (isObject(came) ? named(came) : {}) as Offer
    const bad = (problem: string) =>
      new NotAnExchange(this.base, `offer ${word(offer.offer_id).slice(0, 60)}: ${problem}`)
    if (!offer.offer_id || !isObject(came)) throw bad('it has no id')
    const unknown = list(offer.ext_critical)
      .map(word)
      .filter((key) => !wanted.critical?.includes(key))
    if (unknown.length > 0) throw bad(`it needs ${unknown.join(', ')} to be understood`)
    const now = this.transport.now()
    if (offer.expires_at !== undefined && !(now < Date.parse(offer.expires_at))) throw bad('it has ended')
    const signature = signatureBytes(word(offer.exchange_signature))
    if (!signature) throw bad('its signature cannot be read')
    const { exchange_signature: _, ...fields } = offer
    const { exchange_signature: __, exchangeSignature: ___, ...asItCame } = came
    // Many Exchanges send camelCase and sign snake_case.
    const documents = [asItCame, dropEmpty(fields)].map((value) => utf8(canonical(value)))
    if (await this.signed(documents, signature, now)) return offer
    if (!state.fresh) {
      state.fresh = true
      await this.refresh(wanted)
      if (await this.signed(documents, signature, now)) return offer
    }
    throw bad('it is not signed by the Exchange')
  }

  private async signed(
    documents: Uint8Array<ArrayBuffer>[],
    signature: Uint8Array<ArrayBuffer>,
    now: number,
  ): Promise<boolean> {
    for (const key of this.keys) {
      if (!(key.from <= now && now < key.until)) continue
      for (const text of documents) if (await verify(key.bytes, text, signature)) return true
    }
    return false
  }

  /** refresh reads the Exchange's keys. */
  private async refresh(call: Call): Promise<void> {
    const url = word(this.manifest.keys_uri)
    const { told } = await document(this.transport, url, call)
    const keys = [
      ...list(told.keys),
      ...(told.public_key ? [{ public_key: told.public_key, algorithm: told.public_key_algorithm }] : []),
    ].flatMap(keyOf)
    if (keys.length === 0) throw new NotAnExchange(url, 'there is no Ed25519 key in it')
    this.keys = keys
  }

  /** call makes an RPC until the Exchange has time; each of them can be repeated. */
  private async call(
    method: string,
    request: Record<string, unknown>,
    call: Call,
  ): Promise<{ told: Record<string, unknown>; raw: Record<string, unknown> }> {
    const url = this.base + method
    const body = JSON.stringify(request)
    const { transport, signer } = this
    const got = await transport.whole(
      {
        url,
        method: 'POST',
        body,
        repeatable: true,
        sign: async (own) => {
          const headers = { ...own, 'Content-Type': 'application/json' }
          return signer ? signer.signBody('POST', url, body, headers, transport.now()) : headers
        },
      },
      transport.limit(maxAnswer),
      { signal: call.signal, timeout: call.timeout ?? 4 * attempt },
    )
    if (got.status !== 200) throw failure(got, transport.now())
    const raw = members(got.bytes)
    if (!raw) throw new NotAnExchange(url, 'the answer is no JSON object')
    return { told: named(raw), raw }
  }
}

/** overcharged says whether more was charged than was offered, or anything in another currency. */
function overcharged(cost: wire.Cost | undefined, offer: Offer): boolean {
  const units = (amount: number) => Math.round(amount * 1e8)
  const charged = units(cost?.amount ?? 0)
  const { amount, currency } = costOf(offer)
  return !(charged <= units(amount)) || (charged > 0 && cost?.currency?.toUpperCase() !== currency.toUpperCase())
}

/** document reads a public document of an Exchange. */
async function document(transport: Transport, url: string, call: Call): Promise<{ told: Record<string, unknown> }> {
  const got = await transport.whole(
    { url, headers: { Accept: 'application/json' }, redirects: true, repeatable: true },
    maxDocument,
    { signal: call.signal, timeout: call.timeout ?? 4 * attempt },
  )
  if (got.status !== 200)
    throw new NotAnExchange(bare(url), `the status is ${got.status}: there is no such document here`, got.status)
  const told = members(got.bytes)
  if (!told) throw new NotAnExchange(bare(url), 'it is no JSON object')
  return { told: named(told) }
}
