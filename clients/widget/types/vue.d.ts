import type { DefineComponent } from "vue";
import type { FrontdeskAskAttributes } from "./index.js";

declare module "vue" {
  interface GlobalComponents {
    "frontdesk-ask": DefineComponent<FrontdeskAskAttributes>;
  }
}
