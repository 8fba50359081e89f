import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("the system while messages are lost or invalid", () => {
  testShortForms(SHORT_FORMS.messages);
});
