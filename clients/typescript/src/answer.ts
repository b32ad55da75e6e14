// Answers of NLWeb 0.55: what a desk says, with names that TypeScript knows.
import { FrontdeskError, Misuse } from './errors.js'
import type { components } from './generated/openapi.js'
import { isObject } from './transport.js'

type Schemas = components['schemas']

/** Meta is the `_meta` of an answer, as on the wire. */
export type Meta = Partial<Schemas['Meta']> & { [key: string]: unknown }

/** Elicitation are the questions that a desk asks back. */
export interface Elicitation {
  text?: string
  questions: ElicitedQuestion[]
}

/** ElicitedQuestion is one question that a desk asks back. */
export interface ElicitedQuestion {
  id: string
  text: string
  type: 'single_select' | 'multi_select' | 'free_text' | 'number' | 'boolean' | (string & {})
  options?: string[]
  default?: unknown
}

/** Action is something that can be done with an item; whoever does it brings its own authority. */
export interface Action {
  name: string
  description?: string
  '@type'?: string
  protocol?: string
  endpoint?: string
  method?: string
  params?: Record<string, unknown>
  [key: string]: unknown
}

/** Result is one item. Texts of a desk are data of a stranger: escape them where they are shown. */
export interface Result {
  /** Its place in the answer, from 0; a summary takes a place, too. */
  index: number
  /** The types of schema.org. */
  types: string[]
  name: string
  url: string
  description: string
  site: string
  /** 0 to 100. */
  score: number
  /** What can be done with it. */
  actions: Action[]
  /** The Exchange that sells a licence to its text; empty where it is not for sale. */
  exchange: string
  /** The item as it came. */
  item: Record<string, unknown>
}

/** Answer is a whole answer, or the questions that a desk asks back. */
export interface Answer {
  /** Best first, without the summary. */
  results: Result[]
  summary: string
  /** What the summary cites: the first as [1]. */
  cited: Result[]
  elicitation: Elicitation | undefined
  meta: Meta
  /** The question, for reply. */
  question: Question
}

/** Question is what is asked (NLWeb 0.55 §3). */
export interface Question {
  text: string
  /** Names or hosts of sites; without them all that the desk serves. */
  sites?: string[]
  /** Types of schema.org, such as "Recipe". */
  types?: string[]
  /** Further attributes, such as price: "under 5". */
  filters?: Record<string, unknown>
  limit?: number
  /** Results that score less, 0 to 100, are left out. */
  minScore?: number
  /** The questions before this one, oldest first. */
  previous?: string[]
  modes?: ('list' | 'summarize')[]
  format?: 'conversational_search' | 'chatgpt_app'
  language?: string
  /** Have the desk answer at once, and ask nothing back. */
  noQuestions?: boolean
  /** The session_context of an earlier answer. */
  session?: Record<string, unknown>
  user?: string | Record<string, unknown>
  /** Have the desk remember the question. */
  remember?: boolean
}

/**
 * Failure is what a desk says instead of an answer; `code` is NO_RESULTS, INVALID_QUERY,
 * RATE_LIMITED or another.
 */
export class Failure extends FrontdeskError {
  override name = 'Failure'
  /** The nearest items, where nothing is an answer. */
  readonly closest: Result[]
  constructor(
    code: string,
    readonly said: string,
    readonly meta: Meta,
    details: { status: number; retryAfter?: number | undefined; raw: unknown },
  ) {
    super(code, (said || 'the front desk gives no answer') + ` (${code})` + advice(code, details.retryAfter), details)
    this.closest = list(meta.closest)
      .map((item, i) => resultOf(i, item))
      .filter((r) => r !== undefined)
  }
}

function advice(code: string, retryAfter: number | undefined): string {
  if (retryAfter) return `; ask again in ${Math.ceil(retryAfter)} seconds`
  if (code === 'NO_RESULTS') return '; ask in other words, or look at closest'
  return ''
}

/** Promised is an answer for later; `desk.wait(promised)` waits for it. */
export class Promised extends FrontdeskError {
  override name = 'Promised'
  constructor(
    readonly token: string,
    readonly said: string,
    readonly progress: number,
    readonly left: number,
    readonly meta: Meta,
    raw: unknown,
    status: number,
  ) {
    super('PROMISED', `the front desk promises an answer for later${said && `: ${said}`}; wait for it with desk.wait`, {
      raw,
      status,
    })
  }
}

/**
 * NotADesk is a response that is none of NLWeb's: that of a proxy, or of another kind of server.
 */
export class NotADesk extends FrontdeskError {
  override name = 'NotADesk'
  constructor(
    readonly url: string,
    status: number,
    problem: string,
  ) {
    super(
      'NOT_A_DESK',
      `${url} did not answer as a front desk does (status ${status}): ${problem}; is the address right?`,
      { status },
    )
  }
}

/** requestOf is a question on the wire. */
export function requestOf(q: Question, streaming: boolean, deltas: boolean): Record<string, unknown> {
  if (!q.text?.trim()) throw new Misuse('the question has no text; give one')
  return {
    query: tidy({
      text: q.text,
      site: joinedList(q.sites),
      itemType: joinedList(q.types),
      limit: q.limit,
      min_score: q.minScore,
      ...q.filters,
    }),
    ...(q.previous?.length ? { context: { '@type': 'ConversationalContext', prev: q.previous } } : {}),
    prefer: tidy({
      streaming,
      response_format: q.format,
      mode: joinedList(q.modes),
      'accept-language': q.language,
      deltas: streaming && deltas ? true : undefined,
      elicitation: q.noQuestions ? false : undefined,
    }),
    meta: tidy({ version: '0.55', session_context: q.session, user: q.user, remember: q.remember || undefined }),
  }
}

/**
 * joinedList is a list as the protocol writes it: with commas, unless one of its members has some.
 */
function joinedList(values: string[] | undefined): string | string[] | undefined {
  if (!values?.length) return undefined
  return values.some((each) => each.includes(',')) ? values : values.join(', ')
}

/** tidy leaves out what is undefined. */
export function tidy<T extends Record<string, unknown>>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T
}

/** word is a string, or the first of several. */
export function word(value: unknown): string {
  return words(value)[0] ?? ''
}

function words(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')
}

/** list is an array; empty for anything else. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** resultOf reads an item; undefined for what is none. */
export function resultOf(index: number, item: unknown): Result | undefined {
  if (!isObject(item)) return undefined
  const actions = list(item.actions).filter(isObject) as Action[]
  return {
    index,
    types: words(item['@type']),
    name: word(item.name),
    url: word(item.url),
    description: word(item.description),
    site: word(item.site),
    score: typeof item.score === 'number' ? item.score : 0,
    actions,
    exchange: sellerOf(actions),
    item,
  }
}

/** sellerOf is the Exchange to which the action "license" leads. */
function sellerOf(actions: Action[]): string {
  const endpoint = word(actions.find((action) => action.name === 'license')?.endpoint)
  for (const end of ['/.well-known/ramp-exchange.json', '/ramp.v1.ExchangeService/DiscoverResources']) {
    if (endpoint.endsWith(end)) return endpoint.slice(0, -end.length)
  }
  return ''
}

export const summaryType = 'SearchSummary'

/** Draft is an answer that is being put together. */
export class Draft implements Answer {
  results: Result[] = []
  summary = ''
  cited: Result[] = []
  elicitation: Elicitation | undefined
  meta: Meta = {}

  constructor(readonly question: Question) {}

  /** take adds an item; it says whether it was the summary. */
  take(result: Result): boolean {
    if (result.types[0] !== summaryType) {
      this.results.push(result)
      return false
    }
    this.summary = word(result.item.text)
    this.cited = list(result.item.citation)
      .map((item, i) => resultOf(i, item))
      .filter((r) => r !== undefined)
    return true
  }

  /** takeRest reads what a complete event may carry as well. */
  takeRest(members: Record<string, unknown>): void {
    const asked = members.elicitation
    if (!isObject(asked)) return
    const questions = list(asked.questions)
      .filter(isObject)
      .map((q) => ({ ...q, type: q.type === 'text' ? 'free_text' : q.type }) as ElicitedQuestion) // "text" is of 0.54
    this.elicitation = { ...asked, questions }
  }

  /** sorted has the results in the order of their places. */
  sorted(): this {
    this.results.sort((a, b) => a.index - b.index)
    return this
  }
}

/** metaOf reads a _meta; undefined where there is none. */
export function metaOf(value: unknown): (Meta & { type: string }) | undefined {
  if (!isObject(value)) return undefined
  const { session_context, ...rest } = value
  return {
    ...rest,
    ...(isObject(session_context) ? { session_context } : {}),
    type: word(value.response_type).toLowerCase(),
  }
}

/** failureOf reads a failure; undefined where it is none. */
export function failureOf(
  members: Record<string, unknown>,
  meta: (Meta & { type: string }) | undefined,
  status: number,
  retryAfter?: number,
): Failure | undefined {
  if (!('error' in members) && meta?.type !== 'failure') return undefined
  const told = isObject(members.error) ? members.error : { message: members.error }
  return new Failure(word(told.code) || 'UNKNOWN', word(told.message), shown(meta), {
    status,
    retryAfter,
    raw: members,
  })
}

/** promiseOf reads a promise; undefined where there is no token. */
export function promiseOf(
  members: Record<string, unknown>,
  meta: Meta & { type: string },
  status: number,
): Promised | undefined {
  const told = isObject(members.promise) ? members.promise : {}
  const token = word(told.token)
  if (!token) return undefined
  const number = (value: unknown, most: number) => (typeof value === 'number' ? Math.min(Math.max(value, 0), most) : 0)
  return new Promised(
    token,
    word(told.message),
    number(told.progress, 1),
    number(told.estimated_time, 2 ** 31 - 1),
    shown(meta),
    members,
    status,
  )
}

/** shown is a _meta without the member that metaOf adds. */
export function shown(meta: (Meta & { type: string }) | undefined): Meta {
  if (!meta) return {}
  const { type: _, ...rest } = meta
  return rest
}
