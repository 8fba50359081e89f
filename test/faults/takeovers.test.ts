import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("the system while a frozen executor loses its session", () => {
  testShortForms(SHORT_FORMS.takeovers);
});
