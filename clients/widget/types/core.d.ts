/** An item as the site's terms release it: schema.org members, and those of the protocol. */
export interface Item {
  "@type"?: string | string[];
  url?: string;
  name?: unknown;
  description?: unknown;
  score?: number;
  [member: string]: unknown;
}

/** What a response says of itself. */
export interface Meta {
  session_context?: object;
  answer_id?: string;
  understood?: { text?: string; answer?: string; intent?: string; [member: string]: unknown };
  closest?: Item[];
  [member: string]: unknown;
}

export interface Question {
  id: string;
  text: string;
  type?: "single_select" | "multi_select" | "text" | "number" | "boolean";
  options?: string[];
  default?: unknown;
}

/** What comes back for a question, in the order in which it comes. */
export type Event =
  | { type: "start"; meta: Meta }
  | { type: "delta"; text: string }
  | { type: "summary"; item: Item & { text: string } }
  | { type: "item"; index: number; item: Item }
  | { type: "questions"; elicitation: { text?: string; questions: Question[] }; meta: Meta }
  | { type: "promise"; message?: string; progress?: number; seconds?: number; cancel(): void }
  | { type: "nothing"; message: string; meta: Meta }
  | { type: "done"; meta: Meta; results: Item[]; error?: { code?: string; message?: string } };

export interface AskOptions {
  site?: string | string[];
  /** A schema.org type, such as "Product". */
  type?: string;
  limit?: number;
  /** Further conditions, and answers to what was asked back, by the questions' ids. */
  attributes?: Record<string, unknown>;
  /** `meta.session_context` of the answer that this question goes on from. */
  session?: object | null;
  /** False for no summary. */
  summary?: boolean;
  language?: string;
  signal?: AbortSignal;
}

/** Why a question cannot be answered. */
export class Refusal extends Error {
  /** A code of the protocol, such as RATE_LIMITED, or UNREACHABLE, CUT_OFF, NOT_AN_ANSWER. */
  code: string;
  /** Seconds to wait before asking again; 0 for none known. */
  retryAfter?: number;
  meta?: Meta;
  /** The status of HTTP. */
  status?: number;
}

export interface Desk {
  readonly src: string;
  ask(text: string, options?: AskOptions): AsyncGenerator<Event, void, void>;
  /** Tells that a result was followed, by `meta.answer_id` and its place, the first being 1. */
  follow(answerID: string | null | undefined, position: number): void;
}

/** The front desk at an address, such as "https://desk.example.com/". */
export function createDesk(src: string | URL): Desk;
