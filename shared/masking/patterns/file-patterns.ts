import type { Form } from "#shared/masking/patterns/form.ts";

/** The lines of files and the options of commands whose secrets have no name; always masked, as those in `ALWAYS`. */
export const IN_FILES: readonly Form[] = [
  // A line of .pgpass: the host, the port, the database, the user, the password.
  {
    kind: "PASSWORD",
    hint: /:(?:\*|\d{4,5}):/,
    expression:
      /^[ \t]{0,20}(?:\*|[A-Za-z/][\w./-]{0,252}|\d{1,3}(?:\.\d{1,3}){3}):(?:\*|\d?[56]4\d\d|\d{4,5}(?=:[^\s:]{1,63}:[^\s:]{1,63}:(?=[^\s:]{0,400}\d)[^\s:]{0,400}[A-Za-z])):(?:\*|[A-Za-z_][\w-]{0,62}):(?:\*|[A-Za-z_][\w.@-]{0,62}):(?<secret>(?:[^\s:\\]|\\[:\\]){1,400})[ \t]*$/gm,
  },
  {
    kind: "PASSWORD",
    hint: /bindpw|rootpw|community/i,
    expression:
      /^[ \t]{0,20}(?:bindpw|rootpw|r[ow]community6?|snmp-server[ \t]{1,3}community)[ \t]{1,20}(?!(?:is|was|has|must|not|in|of)\b)["']?(?<secret>[^\s"'[]{1,400})/gm,
  },
  {
    kind: "PASSWORD",
    hint: /\slogin\s/,
    expression:
      /(?<![\w-])(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm[ \t]{1,3}registry|oc|az)[ \t]{1,3}login[ \t](?:[^\n]{0,200}?[ \t])?-p[ \t=]{0,3}["']?(?!-)(?<secret>[^\s"'[]{1,400})/g,
  },
  {
    kind: "PASSWORD",
    hint: "mongo",
    expression:
      /(?<![\w-])mongo(?:sh|dump|restore|export|import|stat|top)?[ \t](?:[^\n]{0,200}?[ \t])?-p[ \t=]{0,3}["']?(?!-)(?<secret>[^\s"'[]{1,400})/g,
  },
  {
    kind: "PASSWORD",
    hint: /ldap(?:search|modify|add|delete|whoami|passwd)/,
    expression:
      /(?<![\w-])ldap(?:search|modify|add|delete|whoami|passwd)[ \t](?:[^\n]{0,200}?[ \t])?-w[ \t]{0,3}["']?(?!-)(?<secret>[^\s"'[]{1,400})/g,
  },
  {
    kind: "PASSWORD",
    hint: /sqlplus|sqlldr|expdp|impdp/,
    expression:
      /(?<![\w-])(?:sqlplus|sqlldr|expdp|impdp)[ \t]{1,3}(?:-\w{1,20}[ \t]{1,3}){0,3}["']?[\w$#.-]{1,64}\/(?<secret>[^\s"'@]{1,400})(?=@)/g,
  },
  {
    kind: "COOKIE",
    hint: /curl\s/,
    expression:
      /(?<![\w-])curl[ \t](?:[^\n]{0,300}?[ \t])?(?:-b|--cookie)[ \t=]{0,3}["']?(?<secret>[^\s"'=;[]{1,100}=[^\n"'[]{1,4096})(?=["']|$)/gm,
  },
  {
    kind: "PASSWORD",
    hint: /(?:role|user)\s/i,
    expression:
      /(?<![\w-])(?:alter|create)\s{1,3}(?:role|user)\s[^\n';]{0,200}?\spassword\s{1,3}\\?(?<quote>['"])(?<secret>(?:(?!\\?\k<quote>)[^\n]|''){1,4096})/gi,
  },
  {
    kind: "PASSWORD",
    hint: "password to proceed to installation",
    expression: /password to proceed to installation:(?:\s|\\n|\*){0,20}(?<secret>[0-9a-f]{32})/g,
  },
  {
    kind: "PRIVATE_KEY",
    hint: "Private-Lines: ",
    expression:
      /Private-Lines: \d{1,3}\r?\n[ \t]{0,20}(?<secret>(?:[A-Za-z0-9+/=]{1,200}\r?\n[ \t]{0,20}){0,200}[A-Za-z0-9+/=]{1,200})(?=\r?$)/gm,
  },
  {
    kind: "TOKEN",
    hint: "/api/webhooks/",
    expression: /discord(?:app)?\.com\/api\/webhooks\/\d{5,30}\/(?<secret>[\w-]{8,200})/g,
  },
  {
    kind: "TOKEN",
    hint: "office.com/webhook",
    expression: /office\.com\/webhook(?:b2)?\/(?<secret>[\w@/-]{20,400})/g,
  },
  // An address without a scheme, with the port of its server.
  {
    kind: "PASSWORD",
    hint: /@[\w.-]{1,253}:\d/,
    expression:
      /(?<![\w./:@%$-])[A-Za-z_][\w.-]{0,63}:(?<secret>[^\s:/@"'<>()[\]{}]{4,400})(?=@[A-Za-z0-9][\w.-]{0,252}:\d{2,5}(?:[/?,;"'\s]|$))/g,
  },
  {
    kind: "PASSWORD",
    hint: /(?:^|[\s"'=(])\/\/[^\s:/@]{1,100}:/,
    expression:
      /(?<=^|[\s"'=(])\/\/[^\s:/?#@"'<>]{1,200}:(?<secret>[^\s"'<>@/]{1,400})(?=@[A-Za-z0-9][\w.-]{0,252}(?:[:/?,;"'\s]|$))/gm,
  },
];
