import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("the system while sessions change their owner", () => {
  testShortForms(SHORT_FORMS.takeovers);
});
