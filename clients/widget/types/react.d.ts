import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { FrontdeskAsk, FrontdeskAskAttributes } from "./index.js";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "frontdesk-ask": DetailedHTMLProps<HTMLAttributes<FrontdeskAsk>, FrontdeskAsk> & FrontdeskAskAttributes;
    }
  }
}
