import { NIGHTLY } from "../support/nightly.ts";
import { testShortForms } from "./harness/test-short-forms.ts";
import { NIGHTLY_SHORT_FORMS } from "./short-forms.ts";

describe("the system under further faults", () => {
  if (NIGHTLY) testShortForms(NIGHTLY_SHORT_FORMS);
});
