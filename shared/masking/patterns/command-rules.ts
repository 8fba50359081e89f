/** The positions of a command's secrets among its arguments. */
export interface CommandRule {
  readonly names: readonly string[];
  /** One of these must be among the arguments. */
  readonly needs?: RegExp;
  /** Options whose next argument, or the rest behind `=`, is a secret. */
  readonly options?: RegExp;
  /** Options whose own rest is the secret: `-pVALUE`. */
  readonly attached?: RegExp;
  /** The text before the secret within an argument: `user%`, `pass:`. */
  readonly within?: RegExp;
  /** The arguments behind a word, counted from 1: `add_user name VALUE`. */
  readonly behind?: readonly [word: RegExp, offset: number];
  /** A host follows the secret: `name/VALUE@host`. */
  readonly hasHost?: boolean;
  /** The last argument that is no option. */
  readonly isLast?: boolean;
}

const words = (text: string) => text.split(" ");

/** The commands of machines, clusters and databases that take secrets by position or in options of one letter. */
export const COMMAND_RULES: readonly CommandRule[] = [
  {
    names: words("docker podman nerdctl buildah skopeo crane oras helm oc az cf argocd rancher"),
    needs: /^login$/u,
    options: /^-p$/u,
    attached: /^-p=?(?=.)/u,
  },
  {
    names: words("skopeo buildah podman crane"),
    options: /^--(?:src-|dest-)?creds$/u,
    within: /^--(?:src-|dest-)?creds[= ][^:]{1,200}:/u,
  },
  {
    names: words(
      "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlsh mariadb mariadb-dump mycli xtrabackup",
    ),
    attached: /^-p(?=.)/u,
    behind: [/^password$/u, 1],
  },
  {
    names: words(
      "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop mongofiles",
    ),
    options: /^-p$/u,
    attached: /^-p=?(?=.)/u,
  },
  { names: words("redis-cli valkey-cli keydb-cli redis-benchmark"), options: /^-a$/u },
  {
    names: words("ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldapcompare ldapmodrdn ldapexop"),
    options: /^-w$/u,
    attached: /^-w(?=.)/u,
  },
  { names: words("ldappasswd"), options: /^-[swa]$/u },
  { names: words("sshpass"), options: /^-p$/u, attached: /^-p(?=.)/u },
  {
    names: words(
      "sqlcmd osql bcp isql tsql freebcp go-sqlcmd ipmitool zip unzip mosquitto_pub mosquitto_sub vncdo",
    ),
    options: /^-P$/u,
    attached: /^-P(?=.)/u,
    behind: [/^password$/u, 2],
  },
  {
    names: words(
      "snmpget snmpwalk snmpbulkwalk snmpbulkget snmpset snmpgetnext snmptable snmptrap snmpinform snmpstatus snmpdf onesixtyone",
    ),
    options: /^-[cAX]$/u,
    attached: /^-[c](?=[^=])/u,
  },
  {
    names: words("smbclient rpcclient smbget smbcacls winexe wmic smbtree pth-winexe net samba-tool"),
    options: /^-U$/u,
    within: /^(?:-U ?|--user=?)[^%]{0,200}%/u,
  },
  {
    names: words("htpasswd mosquitto_passwd htdigest"),
    needs: /^-[A-Za-z0-9]*b[A-Za-z0-9]*$/u,
    isLast: true,
  },
  {
    names: words("rabbitmqctl rabbitmqadmin rabbitmq-diagnostics"),
    behind: [/^(?:add_user|change_password|authenticate_user)$/u, 2],
  },
  { names: words("net net1 net.exe"), behind: [/^user$/iu, 2] },
  { names: words("net net.exe"), behind: [/^\/user:/iu, 1] },
  { names: words("http https xh"), options: /^(?:-a|--auth)$/u, within: /^(?:-a|--auth)[ =][^:]{1,200}:/u },
  { names: words("useradd usermod"), options: /^-p$/u },
  { names: words("virsh"), behind: [/^secret-set-value$/u, 2] },
  { names: words("lftp ncftp ncftpget ncftpput"), options: /^-[up]$/u, within: /^-u ?[^,]{1,200},|^-p ?/u },
  {
    names: words(
      "xfreerdp wfreerdp xfreerdp3 rdesktop evil-winrm netexec nxc crackmapexec cqlsh beeline influx impala-shell hydra medusa curlftpfs",
    ),
    options: /^-p$/u,
    within: /^\/p:/u,
  },
  { names: words("7z 7za 7zr rar unrar"), attached: /^-p(?=.)/u },
  { names: words("ssh-keygen"), options: /^-[NP]$/u },
  { names: words("kadmin kadmin.local"), options: /^-(?:w|pw)$/u },
  { names: words("openssl"), options: /^-[kK]$/u, within: /^pass:/u },
  {
    names: words("sqlplus sqlldr expdp impdp exp imp rman tnsping sqlcl"),
    within: /^(?:[\w]+=)?[A-Za-z_][\w$#.-]{0,63}\/(?=[^/\s])/u,
    hasHost: true,
  },
  { names: words("nmcli wpa_cli iwctl"), behind: [/^(?:password|psk|passphrase|--passphrase)$/u, 1] },
  {
    names: words("kubectl oc kubectl.exe microk8s k3s"),
    needs: /^secrets?$/u,
    options: /^--from-literal$/u,
    within: /^--from-literal[= ][^=]{1,253}=/u,
  },
  { names: words("fly flyctl"), needs: /^secrets$/u, within: /^[A-Za-z_]\w{0,120}=/u },
  { names: words("vault bao"), needs: /^(?:put|patch)$/u, within: /^[A-Za-z_][\w.-]{0,120}=(?!@)/u },
  { names: words("gh glab"), needs: /^(?:secret|variable)$/u, options: /^(?:-b|--body|-v|--value)$/u },
  {
    names: words("az aws gcloud doppler op"),
    needs: /^(?:secret|secrets|put-parameter)$/u,
    options: /^--value$/u,
  },
  { names: words("swaks"), options: /^-ap$/u },
  { names: words("net net.exe"), needs: /^use$/iu, behind: [/^\\\\/u, 1] },
  {
    names: words("psexec psexec.exe PsExec PsExec.exe psexec64 PsExec64 PsExec64.exe paexec rabbitmqadmin"),
    options: /^-p$/u,
  },
  { names: words("schtasks schtasks.exe"), options: /^\/r?p$/iu },
  { names: words("doctl influx"), options: /^-t$/u },
  { names: words("composer"), behind: [/^http-basic\./u, 2] },
  { names: words("composer"), behind: [/^(?:github-oauth|gitlab-oauth|gitlab-token|bearer)\./u, 1] },
];
