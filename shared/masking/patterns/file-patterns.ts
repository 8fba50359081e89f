import type { Form } from "#shared/masking/patterns/form.ts";
import { Words } from "#shared/masking/words.ts";

/** The lines of files and the options of commands whose secrets have no name; always masked, as those in `ALWAYS`. */
export const IN_FILES: readonly Form[] = [
  // A line of .pgpass: the host, the port, the database, the user, the password.
  {
    kind: "PASSWORD",
    hint: /:(?:\*|\d{4,5}):/,
    expression:
      /^[ \t]{0,20}(?:\*|[A-Za-z/][\w./-]{0,252}|\d{1,3}(?:\.\d{1,3}){3}):(?:\*|\d?[56]4\d\d|\d{4,5}(?=:[^\s:]{1,63}:[^\s:]{1,63}:(?=[^\s:]{0,400}\d)[^\s:]{0,400}[A-Za-z])):(?:\*|[A-Za-z_][\w-]{0,62}):(?:\*|[A-Za-z_][\w.@-]{0,62}):(?<secret>(?:[^\s:\\]|\\[:\\]){1,400})[ \t]*$/gm,
  },
  // Files of servers: a word and its secret.
  {
    kind: "PASSWORD",
    hint: new Words(
      "bindpw",
      "rootpw",
      "community",
      "requirepass",
      "masterauth",
      "com2sec",
      "trapsink",
      "trap2sink",
      "wpa-psk",
      "insecure-password",
    ),
    expression:
      /(?<![\w-])(?:(?:(?<=^[ \t]{0,20})(?:bindpw|rootpw|r[ow]community6?|trap[2]?sink[ \t]{1,3}\S{1,100})|(?:snmp-server|snmp)[ \t]{1,3}community|requirepass|masterauth|wpa-psk(?:[ \t](?:ascii|hex))?(?:[ \t]\d(?=[ \t]))?|insecure-password)[ \t]{1,20}(?!(?:is|was|has|must|not|in|of|strings?|and|or)\b)|com2sec6?[ \t]{1,20}\S{1,60}[ \t]{1,20}\S{1,60}[ \t]{1,20})\\?["']?(?<secret>[^\s"'[\\]{1,400})/gm,
  },
  // Configurations of network devices: behind a word and the digit of an encryption.
  {
    kind: "PASSWORD",
    hint: new Words("password", "secret", "key", "md5", "passphrase", "ascii", "hex"),
    expression:
      /(?<![\w-])(?:password|secret|key|key-string|md5|passphrase|ascii|hex)[ \t]{1,3}(?:(?:encrypted|hex|ascii)[ \t]{1,3})?(?:(?<!key[ \t]{1,3})0[ \t]{1,3}|[4-9][ \t]{1,3}(?=\$|"|[\w./+=]{0,60}(?:\d[\w./+=]{0,60}[A-Za-z]|[A-Za-z][\w./+=]{0,60}\d)))["']?(?<secret>[^\s"'\\[]{4,400})/gi,
  },
  // Statements of their accounts, neighbours and protocols.
  {
    kind: "PASSWORD",
    hint: new Words(
      "password",
      "secret",
      "key",
      "md5",
      "version",
      "authentication",
      "community",
      "ascii-text",
    ),
    expression:
      /^[ \t>#+]{0,20}(?:[\w.()-]{1,60}[#>][ \t]{0,3})?(?:username[ \t]{1,3}\S{1,64}[ \t](?:[^\n]{0,100}?[ \t])?(?:password|secret)|enable[ \t](?:[^\n]{0,60}?[ \t])?(?:secret|password)|neighbor[ \t]{1,3}\S{1,64}[ \t]{1,3}password|crypto[ \t]{1,3}isakmp[ \t]{1,3}key|(?:tacacs|radius)-server[ \t](?:[^\n]{0,100}?[ \t])?key|(?:ppp|ip|ntp|area|isis|standby|vrrp)[ \t][^\n]{0,80}?[ \t](?:password|authentication-key|md5|key)|snmp-server[ \t]host[ \t]\S{1,64}[ \t](?:(?:traps|informs)[ \t])?version[ \t](?:1|2c)|(?:standby|vrrp)[ \t]\d{1,4}[ \t]authentication(?:[ \t]text|(?![ \t]{1,3}(?:md5|key-chain|text)[ \t]))|set[ \t][^\n]{1,200}?[ \t](?:community|[\w-]{1,30}-(?:password|key)|ascii-text|simple-password))[ \t]{1,3}(?:level[ \t]\d{1,2}[ \t]{1,3}|ascii-text[ \t]{1,3})?(?:\d{1,2}[ \t]{1,3}(?:md5[ \t]{1,3})?)?(?:key-string[ \t]{1,3}(?:\d[ \t]{1,3})?)?["']?(?!(?:is|was|for|not|and|or|must|chain|key-chain|key-string|generate|\d{1,3}(?=\s|$))\b)(?<secret>[^\s"';\\[]{1,400})/gm,
  },
  {
    kind: "PASSWORD",
    hint: new Words("snmp-server user"),
    expression:
      /(?<=snmp-server user [^\n]{0,200})(?<![\w-])(?:auth|priv)[ \t]{1,3}(?:md5|sha\d{0,3}|sha-\d{3}|des|3des|aes)[ \t]{1,3}(?:\d{3}[ \t]{1,3})?(?<secret>[^\s"'\\[]{1,400})/g,
  },
  {
    kind: "PASSWORD",
    hint: new Words("sp_addlogin", "sp_addapprole", "sp_setapprole", "sp_password"),
    expression:
      /\bsp_(?:addlogin|addapprole|setapprole|password)\s{1,3}(?:@?[\w=]{0,30}\s{0,3}N?'[^'\n]{0,200}'\s{0,3},\s{0,3}){1,2}N?'(?<secret>[^'\n[]{1,400})/gi,
  },
  // Redis: a password of a client, of a user, of another server.
  {
    kind: "PASSWORD",
    hint: new Words("auth"),
    expression:
      /(?:(?<=^|[>$"'`][ \t]?|HELLO[ \t][23][ \t]|hello[ \t][23][ \t]|redis-cli[ \t](?:[^\n]{0,100}[ \t])?)(?:AUTH|auth)|(?<=MIGRATE[ \t][^\n]{0,200})AUTH2?)\\?["']?[ \t]{1,3}(?!(?:PLAIN|LOGIN|CRAM|XOAUTH|required|failed|failure|is|was|to|error|success|basic|OK|can-i|login|status|token)\b)(?:\\?["']?[\w.-]{1,64}\\?["']?[ \t]{1,3}(?=\S))?\\?["']?(?<secret>[^\s"'\\[`]{1,400})/gm,
  },
  {
    kind: "PASSWORD",
    hint: new Words("setuser", "user ", "user\t"),
    expression:
      /(?<=\bACL[ \t]{1,3}SETUSER[ \t][^\n]{0,300}|^user[ \t]\S{1,64}[ \t](?:on|off)(?:[ \t](?:nopass|sanitize-payload|reset\w{0,10}|[~&+@#>%-]\S{0,200})){0,10}[ \t])(?<=[ \t"'])[><](?<secret>[^\s"'\\[]{1,400})/gim,
  },
  // The key of a server in a block of its own, and the page of statistics of a proxy.
  {
    kind: "PASSWORD",
    hint: new Words("radius server ", "tacacs server "),
    expression:
      /(?<=^[ \t]{0,20}(?:radius|tacacs) server \S{1,64}\n(?:[ \t][^\n]{0,100}\n){0,5}[ \t]{1,8})key[ \t]{1,3}(?:\d[ \t]{1,3})?(?<secret>[^\s"'\\[]{1,400})/gm,
  },
  {
    kind: "PASSWORD",
    hint: new Words("stats auth "),
    expression: /\bstats auth \S{1,64}?:(?<secret>[^\s"'\\[]{1,400})/g,
  },
  // A user and a password side by side: `auth=("name", "VALUE")`, `db.auth("name", "VALUE")`.
  {
    kind: "PASSWORD",
    hint: new Words("auth", "userpassword"),
    expression:
      /(?:\bauth\s{0,3}=\s{0,3}\w{0,40}\(|\bdb\.auth\(|\.(?:basicAuth|setBasicAuth|basic_auth|changeUserPassword)\()\s{0,3}\\?["'][^"'\n]{1,200}["']\s{0,3},\s{0,3}\\?(?<quote>["'])(?<secret>(?:(?!\\?\k<quote>)[^\n]){1,400})/gi,
  },
  // A program's one report of a password that it has made.
  {
    kind: "PASSWORD",
    hint: new Words("password"),
    expression:
      /\bpassword (?:for \S{1,64} )?(?:is generated for \S{1,200}:|(?:is|(?:has been |was )?set to|changed to):?)[ \t]{1,3}["'`]?(?!base64|md5|sha\d|bcrypt|\d[\d.-]{0,20}\s)(?=[^\s"'`]{0,200}\d)(?=[^\s"'`]{0,200}[A-Za-z])(?<secret>[^\s"'`\\[]{6,200})/gi,
  },
  // SMTP, and FTP or POP3 behind the name of the user.
  {
    kind: "PASSWORD",
    hint: new Words("auth plain", "auth login", "auth xoauth2", "pass ", "login "),
    expression:
      /(?:\bAUTH (?:PLAIN|LOGIN|XOAUTH2) (?!PLAIN|LOGIN|CRAM|XOAUTH|DIGEST|NTLM)|(?<=\bUSER \S{1,100}\s(?:[^\n]{0,200}\n){0,3}[^\n]{0,60}?)\bPASS |(?<=^|[\s:])[A-Za-z]?\d{1,6} LOGIN \S{1,100} )["']?(?<secret>[^\s"'\\[]{1,400})/gm,
  },
  // Input that a shell gives to a command that reads a secret.
  {
    kind: "PASSWORD",
    hint: new Words("echo", "printf"),
    expression:
      /(?<![\w-])(?:echo|printf)[ \t]{1,3}(?:-\w{1,3}[ \t]{1,3}){0,2}(?:\\?["']%s(?:\\+n)?\\?["'][ \t]{1,3})?(?:\\?(?<quote>["'])|)(?:[\w.-]{1,64}:(?=[^|\n]{1,200}\|[^|\n]{0,40}chpasswd))?(?<secret>(?:(?!\\?["'])[^\n|\s]|(?!\\?\k<quote>)[^\n|]){1,400}?)(?:\\+n)?(?:\\?["'])?[ \t]{0,3}\|[ \t]{0,3}(?:[^\n|;&]{0,200}(?:--password-stdin|--with-token|--stdin\b|-pass(?:in|out)?[ \t]stdin|--passphrase-fd|--key-file[ =]?-|--passfile)|(?:sudo[ \t])?chpasswd|sudo[ \t]{1,3}(?:-\w{1,3}[ \t]{1,3})?-S|kinit|(?:sudo[ \t])?cryptsetup[ \t]|smbpasswd[ \t][^\n|]{0,60}-s)/g,
  },
  {
    kind: "PASSWORD",
    hint: new Words("<<<"),
    expression:
      /(?:--password-stdin|--with-token|--stdin|-S|chpasswd|kinit[^\n<]{0,100})[^\n<|]{0,200}<<<[ \t]{0,3}\\?["']?(?:[\w.-]{1,64}:(?<=chpasswd[^\n]{0,200}))?(?<secret>[^\s"'\\[]{1,400})/g,
  },
  {
    kind: "PASSWORD",
    hint: new Words("convertto-securestring", "networkcredential", "pscredential"),
    expression:
      /(?:ConvertTo-SecureString[ \t]{1,3}(?:-\w{1,20}[ \t]{1,3}){0,4}|(?:NetworkCredential|PSCredential)\(\s{0,3}\\?["'][^"'\n]{1,200}["']\s{0,3},\s{0,3})\\?(?<quote>["'])(?<secret>(?:(?!\\?\k<quote>)[^\n]){1,4096})/gi,
  },
  // The answer of a script to a prompt.
  {
    kind: "PASSWORD",
    hint: new Words("assword", "assphrase"),
    expression:
      /(?:assword|assphrase)[^\n]{0,40}(?:\n\s{0,40}|\\n)?[^\n]{0,40}?\bsend(?:_user)?[ \t]{1,3}(?:--[ \t])?\\?["'{](?<secret>(?:(?!\\+[rn])[^\n"'}]){1,200})\\/g,
  },
  {
    kind: "COOKIE",
    hint: new Words("curl"),
    expression:
      /(?<![\w-])curl[ \t](?:[^\n]{0,300}?[ \t])?(?:-b|--cookie)[ \t=]{0,3}["']?(?<secret>[^\s"'=;[]{1,100}=[^\n"'[]{1,4096})(?=["']|$)/gm,
  },
  // The key of a function that encrypts, and the former password of an account.
  {
    kind: "PASSWORD",
    hint: new Words("crypt"),
    expression:
      /(?:\b(?:pgp_sym_(?:en|de)crypt(?:_bytea)?|aes_(?:en|de)crypt)\((?:[^,'()\n]|'[^'\n]{0,400}'|\([^()\n]{0,200}\)){1,400},\s{0,3}|\bcrypt\(\s{0,3}(?='[^'\n]{1,400}'\s{0,3},))'(?<secret>[^'\n[]{1,400})/gi,
  },
  {
    kind: "PASSWORD",
    hint: new Words("identified"),
    expression:
      /\bidentified\s{1,3}by\s{1,3}\S{1,200}\s{1,3}replace\s{1,3}(?<quote>["']|)(?<secret>(?:(?!\k<quote>["';])[^\n\s"';]){1,400})/gi,
  },
  // A statement about an account, with any text before the word.
  {
    kind: "PASSWORD",
    hint: new Words("alter", "create"),
    expression:
      /(?<![\w-])(?:alter|create)\s{1,3}(?:or\s{1,3}replace\s{1,3})?(?:role|user|login|secret|server|subscription|credential|database\s{1,3}link)\s(?:[^\n';]|\\?'[^'\n]{0,200}'){0,300}?[\s,(](?:password|secret|token)\s{1,3}\\?(?<quote>['"])(?<secret>(?:(?!\\?\k<quote>)[^\n]|''){1,4096})/gi,
  },
  {
    kind: "PASSWORD",
    hint: new Words("password to proceed to installation"),
    expression: /password to proceed to installation:(?:\s|\\n|\*){0,20}(?<secret>[0-9a-f]{32})/g,
  },
  {
    kind: "PRIVATE_KEY",
    hint: new Words("private-lines: "),
    expression:
      /Private-Lines: \d{1,3}\r?\n[ \t]{0,20}(?<secret>(?:[A-Za-z0-9+/=]{1,200}\r?\n[ \t]{0,20}){0,200}[A-Za-z0-9+/=]{1,200})(?=\r?$)/gm,
  },
  {
    kind: "TOKEN",
    hint: new Words("/api/webhooks/"),
    expression: /discord(?:app)?\.com\/api\/webhooks\/\d{5,30}\/(?<secret>[\w-]{8,200})/g,
  },
  {
    kind: "TOKEN",
    hint: new Words("office.com/webhook"),
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
    hint: new Words("//"),
    expression:
      /(?<=^|[\s"'=(])\/\/[^\s:/?#@"'<>]{1,200}:(?<secret>[^\s"'<>@/]{1,400})(?=@[A-Za-z0-9][\w.-]{0,252}(?:[:/?,;"'\s]|$))/gm,
  },
];
