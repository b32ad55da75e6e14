import type { Item } from "./core.js";

/** The attributes of <frontdesk-ask>. */
export interface FrontdeskAskAttributes {
  /** Address of the front desk. The npm package needs it; a script of the desk knows it. */
  src?: string;
  mode?: "inline" | "launcher" | "modal" | "searchbox";
  position?: "bottom-right" | "bottom-left";
  site?: string;
  type?: string;
  limit?: number | string;
  summary?: "auto" | "off";
  theme?: "page" | "light" | "dark" | "system";
  lang?: string;
  /** Questions to begin with, divided by "|". */
  examples?: string;
  "empty-href"?: string;
  "empty-text"?: string;
  history?: "session" | "off";
  target?: "_self" | "_blank";
  /** A selector of what opens the modal. */
  for?: string;
}

export interface FrontdeskAskEvents {
  "frontdesk-open": CustomEvent<null>;
  "frontdesk-close": CustomEvent<null>;
  "frontdesk-ask": CustomEvent<{ text: string }>;
  "frontdesk-answer": CustomEvent<{ text: string; count: number; kind: string }>;
  "frontdesk-nothing": CustomEvent<{ text: string }>;
  /** Cancellable: then the link is not followed. */
  "frontdesk-click": CustomEvent<{ url: string; position: number }>;
  "frontdesk-error": CustomEvent<{ code: string; message: string }>;
}

export class FrontdeskAsk extends HTMLElement {
  /** Draws a result in place of the usual card; undefined for the usual one. */
  card?: (item: Item) => Node | undefined;
  ask(text: string): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
  reset(): Promise<void>;
}

declare global {
  interface HTMLElementTagNameMap {
    "frontdesk-ask": FrontdeskAsk;
  }
  interface GlobalEventHandlersEventMap extends FrontdeskAskEvents {}
}
