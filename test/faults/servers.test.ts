import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("the system while NATS and notifiers are killed", () => {
  testShortForms(SHORT_FORMS.servers);
});
