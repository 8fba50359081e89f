import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("the system while Postgres and NATS fail", () => {
  testShortForms(SHORT_FORMS.servers);
});
