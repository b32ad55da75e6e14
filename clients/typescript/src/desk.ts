// Asking a front desk by NLWeb 0.55.
import {
  Draft,
  Failure,
  NotADesk,
  Promised,
  failureOf,
  list,
  metaOf,
  promiseOf,
  requestOf,
  resultOf,
  shown,
  tidy,
} from './answer.js'
import type { Answer, Elicitation, Meta, Question, Result } from './answer.js'
import { Broken, Misuse, Unreachable } from './errors.js'
import { events } from './sse.js'
import { toolsFor } from './tools.js'
import type { ToolFormat, Tools } from './tools.js'
import { Transport, addressOf, members, sleep } from './transport.js'
import type { Call, Options, Outgoing, Reply } from './transport.js'

/** AskEvent is what an answer brings while it comes. The last one is "done", with all of it. */
export type AskEvent =
  | { type: 'start'; meta: Meta }
  | { type: 'result'; result: Result }
  | { type: 'delta'; text: string }
  | { type: 'summary'; text: string; cited: Result[] }
  | { type: 'elicitation'; elicitation: Elicitation }
  | { type: 'done'; answer: Answer }

/** What may be asked beside the text. */
export type Asking = Omit<Question, 'text'> &
  Call & {
    /** Have the sentences of a summary come as "delta" events while a model writes them. */
    deltas?: boolean
  }

/** What answer takes beside the question. */
export type Answering = Asking & {
  /** Wait where the desk promises an answer for later; a function is told of each look. */
  wait?: boolean | ((promised: Promised) => void)
}

const maxAnswer = 64 << 20

/** Desk asks one front desk. */
export class Desk {
  readonly url: string
  private readonly transport: Transport
  private readonly base: string

  /**
   * The address is the desk's own (https://www.example.com) or that of its endpoint, which ends in
   * /ask.
   */
  constructor(address: string | URL, options: Options = {}) {
    const url = addressOf(address)
    if (!url.pathname.endsWith('/ask')) url.pathname = url.pathname.replace(/\/$/, '') + '/ask'
    this.url = url.href
    this.base = url.href.replace(/\/ask(\?.*)?$/, '')
    this.transport = new Transport(options)
  }

  /** ask gives an answer as it comes. Leaving the loop ends the desk's work. */
  async *ask(question: string | Question, asking: Asking = {}): AsyncGenerator<AskEvent, void, undefined> {
    const { q, call } = asked(question, asking)
    const reply = await this.send(q, true, asking.deltas === true, call)
    if (reply.streams) yield* this.read(reply, q)
    else yield* inParts(await this.whole(reply, q))
  }

  /**
   * answer gives an answer whole. It throws a Failure, Promised, NotADesk, Broken or Unreachable.
   */
  async answer(question: string | Question, asking: Answering = {}): Promise<Answer> {
    const { q, call } = asked(question, asking)
    try {
      const reply = await this.send(q, false, false, call)
      return reply.streams ? await last(this.read(reply, q)) : await this.whole(reply, q)
    } catch (error) {
      if (!asking.wait || !(error instanceof Promised)) throw error
      const onProgress = typeof asking.wait === 'function' ? asking.wait : undefined
      onProgress?.(error)
      return { ...(await this.wait(error, { ...call, onProgress })), question: q }
    }
  }

  /**
   * reply asks a question again with answers to what the desk asked back, each by the id of its
   * question.
   */
  reply(to: Answer, answers: Record<string, unknown>, asking: Answering = {}): Promise<Answer> {
    const session = to.meta.session_context
    return this.answer(
      { ...to.question, filters: { ...to.question.filters, ...answers }, ...(session ? { session } : {}) },
      asking,
    )
  }

  /** follow begins a conversation: each question goes on with those before it. */
  follow(base: Omit<Question, 'text'> = {}): Conversation {
    return new Conversation(this, base)
  }

  /** await looks once at a promise. It throws Promised while the desk works on it. */
  await(token: string, call: Call = {}): Promise<Answer> {
    return this.look(token, 'checkin', call)
  }

  /** cancel ends the work on a promise; it gives the answer if that was there already. */
  async cancel(token: string, call: Call = {}): Promise<Answer | undefined> {
    try {
      return await this.look(token, 'cancel', call)
    } catch (error) {
      if (error instanceof Failure && error.code === 'CANCELLED') return undefined
      throw error
    }
  }

  /** wait gives the answer of a promise when it is there, past a restart of the desk. */
  async wait(
    promised: Promised,
    call: Call & { onProgress?: ((promised: Promised) => void) | undefined } = {},
  ): Promise<Answer> {
    const signal =
      call.timeout === undefined
        ? call.signal
        : AbortSignal.any([AbortSignal.timeout(call.timeout), ...(call.signal ? [call.signal] : [])])
    let latest = promised
    for (let pause = 200, away = 0; ; pause = Math.min(pause * 1.5, longestLook)) {
      await sleep(latest.left * 1000 > pause ? Math.min(latest.left * 1000, longestLook) : pause, signal)
      try {
        return await this.await(latest.token, { signal })
      } catch (error) {
        if (error instanceof Promised) {
          latest = error
          away = 0
          call.onProgress?.(error)
        } else if (!(error instanceof Unreachable) || ++away > maxAway) throw error
      }
    }
  }

  /** forget has the desk forget a conversation that it was asked to remember. */
  async forget(session: Record<string, unknown>, call: Call = {}): Promise<void> {
    const id = session.conversation_id
    if (typeof id !== 'string' || id === '') return
    const headers: Record<string, string> = { Accept: 'application/json' }
    if (typeof session.state_token === 'string') headers['Session-State'] = session.state_token
    const url = `${this.base}/sessions/${encodeURIComponent(id)}`
    const got = await this.transport.whole(
      { url, method: 'DELETE', headers, authorized: true, repeatable: true },
      maxAnswer,
      call,
    )
    if (got.status === 204 || got.status === 200) return
    const told = members(got.bytes) ?? {}
    throw (
      failureOf(told, metaOf(told._meta), got.status, got.retryAfter) ??
      new NotADesk(got.url, got.status, 'the response is no failure of NLWeb')
    )
  }

  /** tools gives the desk as a tool of a language model. */
  tools<F extends ToolFormat>(format: F, options: { name?: string; description?: string } = {}): Tools[F] {
    return toolsFor(this, format, options)
  }

  private async look(token: string, action: 'checkin' | 'cancel', call: Call): Promise<Answer> {
    if (!token) throw new Misuse('give the token of the promise')
    const body = JSON.stringify({ promise_token: token, action })
    const reply = await this.transport.request(
      { url: `${this.base}/await`, method: 'POST', headers: jsonHeaders, body, authorized: true, redirects: true },
      this.transport.limit(maxAnswer),
      call,
    )
    return this.whole(reply, { text: '' })
  }

  private send(q: Question, streaming: boolean, deltas: boolean, call: Call): Promise<Reply> {
    const out: Outgoing = {
      url: this.url,
      method: 'POST',
      body: JSON.stringify(requestOf(q, streaming, deltas)),
      authorized: true,
      redirects: true,
      headers: tidy({
        ...jsonHeaders,
        Accept: streaming ? 'text/event-stream, application/json;q=0.5' : 'application/json',
        'Accept-Language': q.language,
      }) as Record<string, string>,
    }
    return this.transport.request(out, this.transport.limit(maxAnswer), call)
  }

  /** whole reads an answer that is one object. */
  private async whole(reply: Reply, q: Question): Promise<Answer> {
    const stranger = (problem: string) => new NotADesk(reply.url, reply.status, problem)
    const told = members(await reply.bytes())
    if (!told) throw stranger('the answer is no JSON object')
    const meta = metaOf(told._meta)
    const failure = failureOf(told, meta, reply.status, reply.retryAfter)
    if (failure) throw failure
    if (!meta?.type) throw stranger('the answer has no _meta.response_type')
    if (meta.type === 'promise') throw promiseOf(told, meta, reply.status) ?? stranger('the promise has no token')
    if (reply.status >= 400) throw stranger('it is an answer and an error at once')
    const draft = new Draft(q)
    draft.meta = shown(meta)
    const items = Array.isArray(told.results) ? told.results : list(told.structuredData)
    items.forEach((item, i) => {
      const result = resultOf(i, item)
      if (!result) throw stranger(`result ${i} is no object`)
      draft.take(result)
    })
    draft.takeRest(told)
    return draft
  }

  /** read gives the events of a stream. */
  private async *read(reply: Reply, q: Question): AsyncGenerator<AskEvent, void, undefined> {
    const stranger = (problem: string) => new NotADesk(reply.url, reply.status, problem)
    const draft = new Draft(q)
    let failure: Failure | undefined
    try {
      for await (const event of events(reply, this.transport.maxEvent)) {
        const told = members(event.data)
        if (!told) throw stranger('the data of an event is no JSON object')
        const meta = metaOf(told._meta)
        if (event.name === 'start') {
          draft.meta = shown(meta)
          yield { type: 'start', meta: draft.meta }
        } else if (event.name === 'result') {
          if (typeof told.index !== 'number' || !Number.isInteger(told.index) || told.index < 0)
            throw stranger('a result has no index')
          const result = resultOf(told.index, told.item)
          if (!result) throw stranger('a result is no object')
          yield draft.take(result)
            ? { type: 'summary', text: draft.summary, cited: draft.cited }
            : { type: 'result', result }
        } else if (event.name === 'delta') {
          yield { type: 'delta', text: typeof told.text === 'string' ? told.text : '' }
        } else if (event.name === 'error') {
          failure = failureOf({ error: told.error }, undefined, reply.status)
        } else if (event.name === 'complete') {
          if (meta) draft.meta = shown(meta)
          failure ??= failureOf(told, meta, reply.status)
          draft.takeRest(told)
          const promised = meta?.type === 'promise' ? promiseOf(told, meta, reply.status) : undefined
          if (failure ?? promised) throw failure ?? promised
          if (draft.elicitation) yield { type: 'elicitation', elicitation: draft.elicitation }
          yield { type: 'done', answer: draft.sorted() }
          return
        }
      }
      throw failure ?? new Broken(reply.url, 'INCOMPLETE')
    } finally {
      await reply.cancel()
    }
  }
}

const longestLook = 10_000
const maxAway = 6
const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json' }
const maxPrevious = 10

/**
 * Conversation carries the desk's session, and the earlier questions for a desk that keeps none.
 */
export class Conversation {
  /** The desk's session_context, to go on at another time. */
  session: Record<string, unknown> | undefined
  /** The last ten questions, oldest first. */
  previous: string[]

  constructor(
    private readonly desk: Desk,
    private readonly base: Omit<Question, 'text'>,
  ) {
    this.session = base.session
    this.previous = [...(base.previous ?? [])]
  }

  /** ask asks the next question, and gives its answer as it comes. */
  async *ask(text: string, asking: Call & { deltas?: boolean } = {}): AsyncGenerator<AskEvent, void, undefined> {
    const question = this.next(text)
    try {
      for await (const event of this.desk.ask(question, asking)) {
        if (event.type === 'done') this.took(question, event.answer)
        yield event
      }
    } catch (error) {
      this.failed(question, error)
      throw error
    }
  }

  /** answer asks the next question. */
  async answer(text: string, asking: Call & Pick<Answering, 'wait'> = {}): Promise<Answer> {
    const question = this.next(text)
    try {
      return this.took(question, await this.desk.answer(question, asking))
    } catch (error) {
      this.failed(question, error)
      throw error
    }
  }

  /** reply answers what the desk asked back. */
  async reply(to: Answer, answers: Record<string, unknown>, call: Call = {}): Promise<Answer> {
    return this.took(to.question, await this.desk.reply(to, answers, call))
  }

  /** forget has the desk forget what it keeps of the conversation, and begins a new one. */
  async forget(call: Call = {}): Promise<void> {
    const session = this.session
    this.session = undefined
    this.previous = []
    if (session) await this.desk.forget(session, call)
  }

  private next(text: string): Question {
    return { ...this.base, text, previous: [...this.previous], ...(this.session ? { session: this.session } : {}) }
  }

  private took(question: Question, answer: Answer): Answer {
    this.remember(answer.meta, answer.elicitation ? undefined : question.text)
    return answer
  }

  private failed(question: Question, error: unknown): void {
    if (error instanceof Failure) this.remember(error.meta, question.text)
    if (error instanceof Promised) this.remember(error.meta, undefined)
  }

  /** remember takes the session, and a question that was answered. */
  private remember(meta: Meta, text: string | undefined): void {
    if (meta.session_context) this.session = meta.session_context
    if (text !== undefined) this.previous = [...this.previous, text].slice(-maxPrevious)
  }
}

function asked(question: string | Question, asking: Answering): { q: Question; call: Call } {
  const { signal, timeout, deltas: _, wait: __, ...rest } = asking
  return {
    q: { ...(typeof question === 'string' ? { text: question } : question), ...rest },
    call: { signal, timeout },
  }
}

/** inParts gives an answer that came whole as if it had come in parts. */
function* inParts(answer: Answer): Generator<AskEvent, void, undefined> {
  yield { type: 'start', meta: answer.meta }
  for (const result of answer.results) yield { type: 'result', result }
  if (answer.summary) yield { type: 'summary', text: answer.summary, cited: answer.cited }
  if (answer.elicitation) yield { type: 'elicitation', elicitation: answer.elicitation }
  yield { type: 'done', answer }
}

async function last(all: AsyncGenerator<AskEvent, void, undefined>): Promise<Answer> {
  for await (const event of all) if (event.type === 'done') return event.answer
  throw new Misuse('the stream has no end')
}
