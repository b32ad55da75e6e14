// Submitting to businesses by the Agent Intake Protocol 0.1.0, on a person's behalf.
import { word } from './answer.js'
import { Misuse } from './errors.js'
import type { components } from './generated/openapi.js'
import { pointer, violations } from './schema.js'
import { Declined, Expired, NotAnIntake, Pending, PersonalData, Refused, Unfit } from './intake/errors.js'
import { personalIn } from './intake/personal.js'
import { random, timeText, uuid } from './sign.js'
import { Transport, findable, isObject, members, secured } from './transport.js'
import type { Call, Options, Whole } from './transport.js'

export { Broken, FrontdeskError, Misuse, Unreachable } from './errors.js'
export * from './intake/errors.js'
export type { Violation } from './schema.js'
export type { Call, Options } from './transport.js'

type Schemas = components['schemas']
export type Manifest = Schemas['IntakeManifest']
export type Intake = Manifest['intakes'][number]
export type Offer = NonNullable<Schemas['IntakeResponse']['offer']>
export type Bound = Schemas['IntakeBound']
/** What a person authorizes an agent to do. */
export type Scope = 'intake' | 'offer' | 'bind' | 'account_creation' | 'payment'

/** Agent is who submits. */
export interface Agent {
  /** Of this instance; one of this Provider's life without it. */
  id?: string
  platform?: string
  name?: string
  /** Hosts besides the provider's own at which offers may be bound. */
  bindHosts?: string[]
}

/** What is submitted beside the data. */
export interface Submission extends Call {
  /** What the person authorized; intake and offer without it. */
  scopes?: Scope[]
  /** A UUID of version 4 that joins what belongs together. */
  session?: string
  /** The person authorized the personal data that is in the data. */
  personal?: boolean
  locale?: string
  timezone?: string
}

const version = '0.1.0'
const maxDocument = 1 << 20
const attempt = 30_000
const sessionForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/**
 * Provider is one business that takes in requests. Its texts are data: mark them so before a
 * language model.
 */
export class Provider {
  readonly agentId: string

  private constructor(
    private readonly transport: Transport,
    private readonly agent: Agent,
    private readonly address: string,
    readonly manifest: Manifest,
  ) {
    this.agentId = agent.id ?? `agent-${random(16)}`
  }

  /** discover reads the manifest of a business, at its site's address or its own. */
  static async discover(address: string | URL, agent: Agent = {}, options: Options & Call = {}): Promise<Provider> {
    const url = findable(address, '/.well-known/agent-intake.json')
    const transport = new Transport(options)
    const got = await transport.whole(
      { url, headers: { Accept: 'application/json' }, redirects: true, repeatable: true },
      maxDocument,
      options,
    )
    if (got.status !== 200) throw new NotAnIntake(got.url, got.status, 'there is no manifest here; ask another address')
    const manifest = members(got.bytes)
    const problem = manifested(manifest)
    if (problem) throw new NotAnIntake(got.url, got.status, problem, manifest)
    return new Provider(transport, agent, url, manifest as unknown as Manifest)
  }

  /** intake is one of the provider's, by its id. */
  intake(id: string): Intake {
    const found = this.manifest.intakes.find((each) => each.id === id)
    if (!found)
      throw new Misuse(
        `the provider has no intake "${id}"; it has ${this.manifest.intakes.map((each) => each.id).join(', ')}`,
      )
    return found
  }

  /**
   * submit submits data and gives the offer. What does not fit, or looks personal without
   * submission.personal, is not sent.
   */
  async submit(id: string, data: Record<string, unknown>, submission: Submission = {}): Promise<Offered> {
    const to = this.intake(id)
    secured(to.endpoint)
    const wrong = violations(to.input_schema, data)
    if (wrong.length > 0) throw new Unfit(wrong)
    const personal = submission.personal ? [] : personalIn(data)
    if (personal.length > 0) throw new PersonalData(personal)
    const session = submission.session ?? uuid()
    if (!sessionForm.test(session)) throw new Misuse('the session is no UUID of version 4; leave it out for a new one')
    const { platform, name } = this.agent
    const surroundings = { locale: submission.locale, timezone: submission.timezone }
    const body = JSON.stringify({
      aip_version: version,
      agent: {
        id: this.agentId,
        platform: platform || undefined,
        name: name || undefined,
        consent_scope: submission.scopes ?? ['intake', 'offer'],
      },
      intake_data: data,
      session_id: session,
      metadata: surroundings.locale || surroundings.timezone ? surroundings : undefined,
    })
    const got = await this.post(to.endpoint, body, true, submission)
    const told = responseOf(got)
    const about = { status: got.status, retryAfter: retryOf(told, got), raw: told }
    if (told.status === 'error' || got.status >= 400) throw refusal(got, told)
    if (told.session_id !== session)
      throw new NotAnIntake(got.url, got.status, 'the answer is about another session', told)
    if (got.status !== 200)
      throw new NotAnIntake(got.url, got.status, 'an answer comes with a status that is not 200', told)
    if (told.status === 'declined') throw new Declined(word(told.decline_reason), about)
    if (told.status === 'pending') throw new Pending(session, about)
    const offer = told.offer as Offer
    if (ended(offer, this.transport.now()))
      throw new NotAnIntake(got.url, got.status, 'the offer has ended already', told)
    if (offer.bind_endpoint) this.mayBind(to, offer.bind_endpoint)
    return new Offered(this, to, session, offer)
  }

  /** bind sends what a person confirmed. Offered.confirm leads here. */
  async bind(confirmed: Confirmed, call: Call = {}): Promise<Bound> {
    const { offer, session, provider } = confirmed.offered
    if (provider !== this) throw new Misuse("this offer is another provider's, or another agent's")
    if (ended(offer, this.transport.now())) throw new Expired()
    const body = JSON.stringify({
      offer_id: offer.id,
      session_id: session,
      bind_data: confirmed.data,
      agent: { id: this.agentId, consent_scope: confirmed.scopes },
      metadata: { user_confirmed_at: timeText(confirmed.at) },
    })
    // What broke off is not sent again: the protocol does not say that a second bind does nothing.
    const got = await this.post(offer.bind_endpoint as string, body, false, call)
    const told = members(got.bytes)
    if (got.status >= 400 || told?.status === 'error') throw refusal(got, told)
    if (!told || got.status < 200 || got.status > 299)
      throw new NotAnIntake(
        got.url,
        got.status,
        'the answer to the bind is none; ask the provider whether the offer is bound',
        told,
      )
    if (told.offer_id !== undefined && (told.offer_id !== offer.id || told.session_id !== session)) {
      throw new NotAnIntake(
        got.url,
        got.status,
        'the answer is about another offer or session; ask the provider whether the offer is bound',
        told,
      )
    }
    return told as unknown as Bound
  }

  /** now is the clock's time. */
  now(): number {
    return this.transport.now()
  }

  private post(url: string, body: string, repeatable: boolean, call: Call): Promise<Whole> {
    return this.transport.whole(
      {
        url,
        method: 'POST',
        body,
        authorized: true,
        repeatable,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      },
      this.transport.limit(maxDocument),
      { signal: call.signal, timeout: call.timeout ?? 4 * attempt },
    )
  }

  /** mayBind refuses to bind at a stranger's: what binds is personal. */
  private mayBind(to: Intake, address: string): void {
    const host = secured(address).hostname
    const own = [this.address, to.endpoint].map((each) => new URL(each).hostname)
    const belongs = (name: string) =>
      host === name ||
      host === name.replace(/^www\./, '') ||
      (!/^[\d.]+$|^\[/.test(name) && host.endsWith(`.${name.replace(/^www\./, '')}`))
    if (own.some(belongs) || this.agent.bindHosts?.some((each) => each.toLowerCase() === host)) return
    throw new Misuse(
      `the offer would be bound at ${host}, which is not the provider's; name it in bindHosts if the person trusts it`,
    )
  }
}

/** Offered is an offer that a provider made; it binds nobody until it is bound. */
export class Offered {
  constructor(
    readonly provider: Provider,
    readonly intake: Intake,
    readonly session: string,
    readonly offer: Offer,
  ) {}

  /**
   * confirm says that the person accepted the offer just now, and authorized this data to be sent:
   * all that offer.bind_requires names, and nothing else. Call it when the person did.
   */
  confirm(data: Record<string, unknown>, scopes: Scope[] = []): Confirmed {
    if (!this.offer.bind_endpoint) throw new Misuse('this offer cannot be bound: it is the answer')
    if (ended(this.offer, this.provider.now())) throw new Expired()
    const requires = this.offer.bind_requires ?? []
    const empty = (name: string) =>
      !Object.hasOwn(data, name) ||
      data[name] === null ||
      data[name] === '' ||
      (typeof data[name] === 'string' && !data[name].trim())
    const found = [
      ...requires
        .filter(empty)
        .map((name) => ({ pointer: pointer('', name), detail: 'is required, and missing or empty' })),
      ...Object.keys(data)
        .filter((name) => !requires.includes(name))
        .sort()
        .map((name) => ({ pointer: pointer('', name), detail: 'is not what the offer requires; leave it out' })),
    ]
    if (found.length > 0) throw new Unfit(found)
    const all = [...new Set<Scope>(['intake', 'offer', 'bind', ...scopes])].sort()
    return new Confirmed(this, structuredClone(data), all, this.provider.now())
  }
}

/** Confirmed is an offer that a person accepted, with the data that the person authorized. */
export class Confirmed {
  constructor(
    readonly offered: Offered,
    readonly data: Record<string, unknown>,
    readonly scopes: Scope[],
    readonly at: number,
  ) {}

  /** bind binds the offer. */
  bind(call: Call = {}): Promise<Bound> {
    return this.offered.provider.bind(this, call)
  }
}

function ended(offer: Offer, now: number): boolean {
  return offer.expires !== undefined && !(now < Date.parse(offer.expires))
}

/** manifested says what keeps a manifest from being one; empty for nothing. */
function manifested(m: Record<string, unknown> | undefined): string {
  if (!m) return 'it is no JSON object'
  if (!/^0\.1(\.|$)/.test(word(m.aip_version))) return 'aip_version is not 0.1'
  if (!isObject(m.provider) || !word(m.provider.name)) return 'provider has no name'
  if (!Array.isArray(m.intakes) || m.intakes.length === 0) return 'there are no intakes'
  for (const each of m.intakes) {
    if (!isObject(each) || !word(each.id) || !word(each.endpoint) || !isObject(each.input_schema))
      return 'an intake has no id, endpoint or input_schema'
  }
  return ''
}

/** responseOf reads the answer to a submission; it throws where it is none. */
function responseOf(got: Whole): Record<string, unknown> {
  const told = members(got.bytes)
  const stranger = (problem: string) =>
    got.status >= 400 ? refusal(got, undefined) : new NotAnIntake(got.url, got.status, problem, told)
  if (!told || typeof told.status !== 'string') throw stranger('it has no status')
  if (told.status === 'error' && isObject(told.error)) return told
  if (!['offer', 'declined', 'pending'].includes(told.status))
    throw stranger(`status "${told.status}" is none of the protocol's`)
  if ((told.status === 'offer') !== isObject(told.offer)) throw stranger('status and offer do not fit each other')
  if (isObject(told.offer) && (!word(told.offer.id) || !word(told.offer.summary)))
    throw stranger('the offer has no id or no summary')
  return told
}

function retryOf(told: Record<string, unknown> | undefined, got: Whole): number | undefined {
  const asked = isObject(told?.metadata) ? told.metadata.retry_after_seconds : undefined
  const seconds = Math.max(typeof asked === 'number' ? asked : 0, got.retryAfter ?? 0)
  return seconds > 0 ? seconds : undefined
}

function refusal(got: Whole, told: Record<string, unknown> | undefined): Refused {
  const error = isObject(told?.error) ? told.error : {}
  return new Refused(word(error.code) || `HTTP_${got.status}`, word(error.message), {
    status: got.status,
    retryAfter: retryOf(told, got),
    raw: told,
  })
}
