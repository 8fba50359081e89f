import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("the system while NATS is killed", () => {
  testShortForms(SHORT_FORMS.servers);
});
