import type { Form } from "#shared/masking/patterns/form.ts";
import { Words } from "#shared/masking/words.ts";

/** Tokens whose beginning names their issuer: by kind, what they begin with, apart by spaces. */
const BEGINNINGS = {
  GITHUB_TOKEN: "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
  SLACK_TOKEN: "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxp- xoxe.xoxb- xapp- xwfp-",
  TOKEN:
    "ya29. 1//0 glpat- gldt- glptt- glrt- glsoat- glcbt- glimt- glagent- glft- glffct- GR1348941 pypi- dckr_pat_ " +
    "dckr_oat_ dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ hvs. hvb. hvr. tskey- ATATT3 ATCTT3 sntrys_ sntryu_ " +
    "glsa_ glc_ pscale_tkn_ pscale_oauth_ pscale_pw_ lin_api_ lin_oauth_ ntn_ figd_ figo_ fio-u- fo1_ sq0atp- sq0csp- " +
    "duffel_live_ duffel_test_ frameio- shippo_live_ shippo_test_ dp.pt. dp.st. dp.ct. dp.sa. dp.scim. lsv2_pt_ lsv2_sk_ " +
    "CCIPAT_ CCIPRJ_ bkua_ ory_st_ ory_at_ ory_pat_ CFPAT- sb_secret_ k8s-aws-v1. phx_",
  API_KEY:
    "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ SG. AIza NRAK- NRAL- NRII- NRJS- NRRA- PMAK- xkeysib- xsmtpsib- xai- " +
    "nvapi- pcsk_ tvly- pplx- sk-ant- sk-proj- sk-or- sk-svcacct- sk-admin- sk-lf-",
  PRIVATE_KEY: "AGE-SECRET-KEY-1",
} as const;
/** Those whose beginning an ordinary name may have, too: at least twenty letters and digits follow at once. */
const SHORT_BEGINNINGS =
  "npm_ dapi dkea dose sbp_ rubygems_ key- pul- rnd_ r8_ nfp_ vcp_ pnu_ e2b_ jina_ fw_ crsr_ hf_ gsk_ tfp_ secret_ sqp_ squ_ sqa_ " +
  "oy2 AKCp cmVmd EAAA EAAB EAAC EAAG ATBB EZAK EZTK FlyV1_ csk- pa- up_ re_ mlsn. test_sk_ live_sk_ dsapi rdme_";

/** A digit distinguishes a token from a name of words. */
function beginsWith(kind: string, list: string, rest: string): Form {
  const alternatives = list.replaceAll(/[./]/gu, String.raw`\$&`).replaceAll(" ", "|");
  return {
    kind,
    hint: new Words(...list.toLowerCase().split(" ")),
    expression: new RegExp(String.raw`(?<![A-Za-z0-9_-])(?<secret>(?:${alternatives})${rest})`, "g"),
  };
}

/** Tokens of known services. */
export const TOKEN_FORMS: readonly Form[] = [
  ...Object.entries(BEGINNINGS).map(([kind, list]) =>
    beginsWith(kind, list, String.raw`(?=[\w.=/+-]{0,80}\d)[\w.=/+-]{10,2048}`),
  ),
  beginsWith("TOKEN", SHORT_BEGINNINGS, String.raw`(?=[A-Za-z0-9]{0,40}\d)[A-Za-z0-9]{20}[\w.-]{0,400}`),
  {
    kind: "AWS_ACCESS_KEY",
    hint: new Words("akia", "asia", "abia", "acca"),
    expression: /(?<![A-Za-z0-9])(?<secret>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?![A-Za-z0-9])/g,
  },
  {
    kind: "API_KEY",
    hint: new Words("sk-", "sk_", "rk-", "rk_"),
    expression: /(?<![A-Za-z0-9_-])(?<secret>[sr]k[-_](?=[\w-]{0,80}\d)[A-Za-z0-9_-]{20,255})/g,
  },
  // The seed of a key of NATS: an operator, an account, a user, a cluster, a server or a curve.
  {
    kind: "PRIVATE_KEY",
    hint: /S[UAOCNX][A-Z2-7]{56}/,
    expression: /(?<![A-Za-z0-9])(?<secret>S[UAOCNX][A-Z2-7]{56})(?![A-Za-z0-9])/g,
  },
  {
    kind: "TOKEN",
    hint: new Words(":aa"),
    expression: /(?<![A-Za-z0-9])(?:bot)?(?<secret>\d{6,12}:AA[\w-]{32,36})(?![\w-])/g,
  },
  // A client secret of Azure, a key of Mailchimp, a key of a user of Okta.
  {
    kind: "SECRET",
    hint: new Words("q~"),
    expression: /(?<![\w~.-])(?<secret>[\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/g,
  },
  {
    kind: "TOKEN",
    hint: new Words(".atlasv1."),
    expression: /(?<![A-Za-z0-9])(?<secret>[A-Za-z0-9]{10,20}\.atlasv1\.[\w-]{20,200})/g,
  },
  // Tokens of Airtable, HubSpot and Sourcegraph, and the identifiers of keys at other clouds.
  {
    kind: "TOKEN",
    hint: new Words("pat", "sgp_"),
    expression:
      /(?<![A-Za-z0-9])(?<secret>pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|pat-[a-z]{2}\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sgp_(?:[0-9a-f]{16}_)?[0-9a-f]{40})(?![A-Za-z0-9])/g,
  },
  {
    kind: "API_KEY",
    hint: new Words("ltai", "akid"),
    expression:
      /(?<![A-Za-z0-9])(?<secret>(?:LTAI|AKID)(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{12,36})(?![A-Za-z0-9])/g,
  },
  {
    kind: "API_KEY",
    hint: new Words("-us"),
    expression: /(?<![\w-])(?<secret>[0-9a-f]{32}-us\d{1,2})(?![\w-])/g,
  },
];
