import { NIGHTLY } from "../support/nightly.ts";
import { canMountDisks } from "../support/small-disks.ts";
import { testShortForms } from "./harness/test-short-forms.ts";
import { SHORT_FORMS } from "./short-forms.ts";

describe("the system while the disk of NATS is full", () => {
  if (NIGHTLY && canMountDisks()) testShortForms(SHORT_FORMS.disks);
});
