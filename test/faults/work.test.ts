import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("answers, scores, sub-agents and steered sessions while their executor is killed", () => {
  testShortForms(SHORT_FORMS.work);
});
