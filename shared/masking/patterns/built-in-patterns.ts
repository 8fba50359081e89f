import type { Form } from "#shared/masking/patterns/form.ts";
import { Words } from "#shared/masking/words.ts";

/** Names that `data_masking.patterns` may have. */
export const MASKING_PATTERNS = [
  "api_key",
  "password",
  "certificate",
  "certificate_authority_data",
  "token",
  "email",
  "ssh_key",
  "base64_secret",
  "base64_short",
  "private_key",
  "secret_key",
  "aws_access_key",
  "aws_secret_key",
  "github_token",
  "slack_token",
  "kubernetes_secret",
] as const;
export type MaskingPattern = (typeof MASKING_PATTERNS)[number];

/** The patterns of each name that `data_masking.pattern_groups` and `defaults.alert_masking.pattern_group` may have. */
export const MASKING_PATTERN_GROUPS: Readonly<Record<string, readonly MaskingPattern[]>> = {
  basic: ["api_key", "password"],
  secrets: ["api_key", "password", "token", "private_key", "secret_key"],
  security: ["api_key", "password", "token", "certificate", "certificate_authority_data", "email", "ssh_key"],
  kubernetes: ["kubernetes_secret", "api_key", "password", "certificate_authority_data"],
  cloud: ["aws_access_key", "aws_secret_key", "api_key", "token"],
  all: MASKING_PATTERNS,
};

/** Masked if masking is enabled, with any groups: nothing else looks like them. */
export const ALWAYS: readonly Form[] = [
  {
    kind: "TOKEN",
    hint: new Words("eyj"),
    expression: /(?<![\w-])(?<secret>eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3})/g,
  },
  {
    kind: "TOKEN",
    hint: new Words("bearer", "token", "basic"),
    expression:
      /(?<![\w-])(?:bearer|basic|token)[ \t]{1,3}(?<secret>(?=[\w.~+/=-]*\d|[\w.~+/=-]{24})[\w.~+/=-]{8,})/gi,
  },
  {
    kind: "TOKEN",
    hint: new Words("authorization"),
    expression:
      /(?<![\w])authorization\\?["']?[ \t]{0,3}[:=][ \t]{0,3}\\?["']?(?:[A-Za-z-]{1,20}[ \t]{1,3})?(?!(?:bearer|basic|digest|token|negotiate|apikey)\b)(?<secret>[^\s"'\\,;<>[]{1,8192})/gi,
  },
  {
    kind: "COOKIE",
    hint: new Words("cookie"),
    expression:
      /(?<![\w])(?:set-)?cookie\\?["']?[ \t]{0,3}:[ \t]{0,3}\\?["']?(?<secret>[^\s"'\\=;]{1,200}=[^\n"'\\[]{1,4096})/gi,
  },
  {
    kind: "PASSWORD",
    hint: new Words("@tcp", "@udp", "@unix"),
    expression: /(?<![\w.-])[\w.-]{1,64}:(?<secret>[^\s"'<>]{1,400}?)(?=@(?:tcp6?|udp|unix)\()/gi,
  },
  {
    kind: "PASSWORD",
    hint: new Words("jdbc:oracle:thin:"),
    expression: /jdbc:oracle:thin:[\w.$#-]{1,64}\/(?<secret>[^\s"'<>@]{1,400})(?=@)/gi,
  },
  {
    kind: "PASSWORD",
    hint: new Words("identified", "password"),
    expression:
      /(?<![\w-])(?:identified\s{1,3}(?:with\s{1,3}\S{1,60}\s{1,3})?(?:by|as)|(?:with|encrypted|unencrypted)\s{1,3}password|set\s{1,3}password[^=\n;]{0,200}=|password(?=\s?\())\s{0,3}(?:password\s{0,3})?[(=]?\s{0,3}N?\\?(?<quote>['"])(?<secret>(?:(?!\\?\k<quote>)[^\n]|''){1,4096})/gi,
  },
  {
    kind: "PASSWORD",
    hint: new Words("identified"),
    expression:
      /(?<![\w-])identified\s{1,3}by\s{1,3}(?!password|values|random)(?<secret>[^\s'"();,\\[]{1,200})/gi,
  },
  {
    kind: "PASSWORD",
    hint: new Words("password"),
    expression:
      /(?<![\w-])(?:machine\s{1,20}\S{1,253}|default|login\s{1,20}\S{1,253})\s{1,20}(?:login\s{1,20}\S{1,253}\s{1,20})?(?:account\s{1,20}\S{1,253}\s{1,20})?password\s{1,20}(?<secret>[^\s"']{1,400})/gi,
  },
  {
    kind: "SECRET",
    hint: new Words("$1$", "$2a$", "$2b$", "$2x$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$apr1$", "$argon2"),
    expression: /(?<secret>\$(?:1|2[abxy]|5|6|7|y|apr1|argon2(?:id|i|d))\$[\w./$=,+-]{12,300})/g,
  },
  {
    kind: "TOKEN",
    hint: new Words("://"),
    expression: /(?<=:\/\/)(?<secret>[A-Za-z0-9_-]{16,400})(?=@)/g,
  },
  {
    kind: "TOKEN",
    hint: new Words("hooks.slack.com/"),
    expression: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[\w/-]{8,200})/g,
  },
  {
    kind: "PASSWORD",
    hint: new Words("-u"),
    expression:
      /(?<=\s)(?:-u|-U|--(?:proxy-)?user)[ \t=]{1,3}["']?[\w.@-]{1,100}:(?<secret>[^\s"'[]{1,400})/g,
  },
  {
    kind: "SECRET_KEY",
    hint: new Words("accountkey=", "sharedaccesskey=", "sig="),
    expression: /(?<![A-Za-z])(?:AccountKey|SharedAccessKey|sig)=(?<secret>[A-Za-z0-9+/%=_-]{16,200})/g,
  },
];

/** Masked if their name, or a group with it, is configured. */
export const BY_NAME: Readonly<Partial<Record<MaskingPattern, Form>>> = {
  email: {
    kind: "EMAIL",
    hint: new Words("@"),
    expression:
      /(?<![A-Za-z0-9._%+-])(?<secret>[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![A-Za-z0-9-])/g,
  },
  ssh_key: {
    kind: "SSH_KEY",
    hint: new Words("ssh-", "ecdsa-", "sk-"),
    expression:
      /(?<![\w-])(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-\w{1,40}@openssh\.com)[ \t]{1,3}(?<secret>AAAA[A-Za-z0-9+/]{16,}={0,3})/g,
  },
  certificate_authority_data: {
    kind: "CERTIFICATE_AUTHORITY_DATA",
    hint: new Words("certificate-authority-data", "cabundle"),
    expression:
      /(?:certificate-authority-data|caBundle)\\?["']?[ \t]{0,3}:[ \t]{0,3}\\?["']?(?<secret>[A-Za-z0-9+/]{8,}={0,2})/g,
  },
  base64_short: {
    kind: "BASE64_SHORT",
    hint: new Words(":"),
    expression:
      /(?<=:[ \t]{1,3}["']?)(?<secret>(?=[A-Za-z0-9+/]{0,19}\d)(?=[A-Za-z0-9+/]{0,19}[A-Z])[A-Za-z0-9+/]{6,31}={1,2})(?![A-Za-z0-9+/=])/g,
  },
  base64_secret: {
    kind: "BASE64_SECRET",
    hint: /[A-Za-z0-9+/]{20}/,
    expression:
      /(?<![A-Za-z0-9+/_.-])(?<secret>(?=[A-Za-z0-9+/]*\d)(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*[a-z])[A-Za-z0-9+/]{20,}={0,2})(?![A-Za-z0-9+/=_.-])/g,
  },
};
