// Owns which names mean secrets: variables that contain one, and those that give access to the user's
// identity. Pure. Only the name counts; a secret under a harmless name is not recognised.

/** Words that make a name a secret. */
const SECRET_WORDS =
  /(^|_)(PASS|PW|PWD|JWT|WEBHOOK|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CREDENTIALS|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SIGNING_?KEY|ENCRYPTION_?KEY|AUTH|COOKIE|PAT|DSN)(_|$)/i;

/** Prefixes of tools whose variables contain keys or select an account. */
const SECRET_PREFIXES = [
  "PAIRPTY_",
  "AWS_",
  "AZURE_",
  "ARM_",
  "GOOGLE_",
  "GCLOUD_",
  "CLOUDSDK_",
  "CLOUDFLARE_",
  "DIGITALOCEAN_",
  "HEROKU_",
  "VAULT_",
  "KUBE",
  "DOCKER_",
  "OPENAI_",
  "ANTHROPIC_",
  "GITHUB_",
  "GITLAB_",
  "NPM_CONFIG_//",
  "STRIPE_",
  "TWILIO_",
  "SENTRY_",
];

/** Names of the working folder, which look like passwords. */
const HARMLESS = new Set(["PWD", "OLDPWD"]);

/** Endings of names that are written as one word: PGPASSWORD, SECRETKEY, MYAPITOKEN. */
const SECRET_ENDINGS = /(PASSWORD|PASSWD|SECRET|SECRETKEY|APIKEY|TOKEN|CREDENTIALS)$/i;

/** Sockets, files and addresses that give access to the user's identity. */
const IDENTITY_VARIABLES = new Set([
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "XAUTHORITY",
  "KRB5CCNAME",
  "NETRC",
  "DATABASE_URL",
  "REDIS_URL",
  "MONGODB_URI",
  "MONGO_URL",
  "MONGO_URI",
]);

export function isSecret(name: string): boolean {
  if (HARMLESS.has(name)) return false;
  if (IDENTITY_VARIABLES.has(name) || SECRET_WORDS.test(name) || SECRET_ENDINGS.test(name))
    return true;
  const upper = name.toUpperCase();
  return SECRET_PREFIXES.some((prefix) => upper.startsWith(prefix));
}
