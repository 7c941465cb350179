/* What people type, and what our pages call it. */

/** Words no longer than this have no endings. */
const SHORT = 3;

/** What is written as two words or with a hyphen is one word, in questions and in pages alike. */
const JOINED: readonly (readonly [RegExp, string])[] = [
	[/\b(sign|signs|signed|signing|log|logs|logged|logging)[ -]?(in|on)\b|\b(signin|login|logon)s?\b/gi, "signin"],
	[/\b(sign|signs|signing|log|logs|logging)[ -]?(out|off)\b|\b(signout|logout|logoff)s?\b/gi, "signout"],
	[/\b(sign|signs|signing)[ -]?up\b|\bsignups?\b/gi, "signup"],
	[/\bweb[ -]?hooks?\b/gi, "webhook"],
	[/\bpass[ -]?keys?\b/gi, "passkey"],
	[/\bback[ -]?ups?\b/gi, "backup"],
	[/\bwater[ -]?marks?\b/gi, "watermark"],
	[/\bthumb[ -]?nails?\b/gi, "thumbnail"],
	[/\bquick[ -]?starts?\b/gi, "quickstart"],
	[/\brate[ -]?limit(s|ed|ing)?\b/gi, "ratelimit"],
	[/\bapi[ -]?keys?\b/gi, "key"],
	[/\bself[ -]?host(ed|ing)?\b/gi, "selfhost"],
	[/\bdark[ -]?modes?\b/gi, "darkmode"],
	[/\bopen[ -]?api\b/gi, "openapi"],
	[/\breact[ -]native\b/gi, "reactnative"],
	[/\bnext\.?js\b/gi, "next"],
	[/\bnode\.?js\b/gi, "node"],
	[/\bnuxt\.?js\b/gi, "nuxt"],
	[/\bvue\.?js\b/gi, "vue"],
	[/\bc(#|sharp\b)/gi, "csharp"],
	[/\.net\b|\bdot[ -]?net\b/gi, "dotnet"],
	[/\be-?mails?\b/gi, "mail"],
	[/\bre-?siz(e|es|ed|ing)\b/gi, "resize"],
	[/\bmulti[ -]?part\b/gi, "multipart"],
	[/\bpre[ -]?sign(ed|ing)?\b/gi, "presigned"],
	[/\bsrc[ -]?sets?\b/gi, "srcset"],
	[/\bon-?premises?\b/gi, "onpremise"],
];

/** Words that say nothing about what is asked for. */
export const EMPTY = new Set(
	"a about an and any are as at be by can do does for from get give have how i if in into is it me my need of on one or our please set should so some svc than that the their them then there these this to use used using want was we what when where which why will with you your vs via".split(
		" ",
	),
);

/** Each word is also looked for as those behind it, which count less. */
const SYNONYMS = `
access: permission role
account: signin
address: url
ai: mcp agent segment
album: label
analytics: usage metrics
angular: typescript responsive
animation: gif frame
apache: proxy
archive: export backup
auth: signin key
authenticate: signin
authentication: signin
authorization: key unauthorized
authorize: signin key
autoscale: scaling
avatar: face gravity radius
aws: s3 bucket
azure: bucket
b2: bucket
badge: overlay
bandwidth: usage cache
batch: updatemany import
begin: quickstart
blurhash: thumbhash placeholder
blurry: blur placeholder
branding: profile logo
bucket: s3
bulk: batch import
bunny: cache
callback: redirect
caching: cache
cancel: subscription
cdn: cache
certificate: tls
changelog: upgrade
charge: price subscription
client: sdk
cloudfront: cache
cluster: kubernetes scaling
coupon: promotion
convert: format
compress: quality q format
compression: quality q format
compromised: secret revoke
configure: configuration
container: docker
credential: key secret
crash: backup
crop: fit gravity
csrf: state
currency: price
customer: user subscriber
dashboard: tui
delete: remove erase
delivery: policy cache
deploy: docker
detect: faces
dev: localhost test
dimension: width info
discount: promotion
disk: sizing
download: dl
duplicate: copy idempotency
edge: cache
edit: update
encode: format
enlarge: fit
env: configuration variable
environment: configuration variable
erase: delete leave disconnect
expire: ttl end
expiration: ttl end
expiry: ttl end
explicit: nsfw moderation
facial: face
fastapi: python
fee: price
filename: dl
filter: fx labels
flask: python
folder: label
forbidden: 403
framework: quickstart
gallery: list picture
gcs: bucket
gdpr: erase export disconnect
geolocation: metadata
google: signin passkey
gps: metadata
grayscale: saturation
greyscale: saturation
health: readyz watching
helm: kubernetes
heif: heic
hide: blur moderation
hook: webhook
host: deploy
hosting: deploy
hotlink: signed policy
hotlinking: signed policy
https: tls
i18n: languages
idempotent: idempotency
imgix: transforms import
ingress: kubernetes proxy
inappropriate: nsfw moderation
install: npm deploy
invoice: receipt
jamstack: astro next
java: generator
jwt: session token
k8s: kubernetes
kotlin: android
latency: cache scaling
lazy: responsive placeholder
lqip: placeholder
legacy: older
l10n: languages
lifecycle: ttl
load: scaling
localization: languages
locale: languages
locate: metadata
log: watching audit
magic: signin code
mcp: agent
member: team
membership: plan subscription
metric: watching
microservice: scaling
migrate: import moving
minio: s3 bucket
mobile: phone ticket
money: price
monitor: watching metrics
monitoring: watching metrics
nginx: proxy
notification: webhook event
notify: webhook event
nudity: nsfw
oauth: signin connect
observability: watching metrics
oidc: signin connect
onboarding: quickstart
optimise: format quality
optimization: format quality
optimize: format quality
orientation: rotate
original: metadata
outage: watching
pagination: cursor list
page: cursor list
paginate: cursor list
parameter: transforms
password: signin code passkey
payment: stripe selling price
paywall: plan subscription
performance: sizing scaling
permission: role
phone: ticket
photo: image
photoshop: transforms
picture: image
pin: code
pixelate: blur faces
policy: delivery
porn: nsfw
postgres: database
postgresql: database
preview: placeholder
pricing: price plan
presigned: ticket signed
privacy: metadata disconnect
private: signed policy
profile: logo
progress: onprogress
prometheus: metrics
protect: signed policy
public: open policy
purchase: checkout selling
queue: jobs
quota: limits
r2: bucket
ratelimit: rate_limited limits
react: next picture
realtime: events
recover: restore
recurring: subscription
redact: blur
refund: withdraw
register: signin connect
release: upgrade
remove: delete
rename: edit
requirement: sizing
resize: transforms w h fit
responsive: srcset picture
restrict: policy origins
resumable: ticket idempotency
retry: idempotency
role: members team
rollback: upgrade
round: radius
s3: bucket
saas: selling
safe: security
scan: security
screenshot: dashboard
sdk: typescript
secure: security signed
selfhost: deploy
sell: selling plan
server: deploy
share: signed
shrink: w quality
signature: signed
signout: session cookie
signup: signin connect
size: limits w
slow: cache scaling
slug: url
social: signin
spa: browser ticket
speed: cache
sqlite: database
srcset: responsive picture
ssl: tls
sso: signin
start: quickstart
stats: usage metrics
statistic: usage metrics
status: watching
storage: bucket
subdomain: domain
tag: label
tax: stripe
team: members
template: presets
tenant: users app
test: simulated
thumbnail: w fit responsive
throttle: rate limits
throttling: rate limits
tier: plan
tls: proxy
tmp: ttl
tos: consent
tracing: traces
transcode: format
transform: transforms
transformation: transforms
transparent: segment background
trash: restore
tutorial: quickstart
undelete: restore
undo: restore
unsubscribe: cancel
uppy: ticket
upscale: fit
uri: url
users: user
variable: configuration
variant: presets transforms
verify: signature
version: upgrade
video: formats
virus: security
volume: disk deploy
wasm: imaging
watermark: overlay tile
widget: uppy filepond
withdraw: refund
wordpress: php
zip: export
`;

/** Words that most pages have: they order what is found, and need not be there beside others. */
export const LIGHT = new Set(["image", "picture", "photo", "file"]);

const TABLE: ReadonlyMap<string, readonly string[]> = new Map(
	SYNONYMS.trim()
		.split("\n")
		.map((line) => {
			const [word = "", others = ""] = line.split(": ");
			return [stemOf(word), others.split(" ").map(stemOf)];
		}),
);

export function synonymsOf(stem: string): readonly string[] {
	return TABLE.get(stem) ?? [];
}

/** The words of a text, in its order: small, without accents and endings; what is joined by `_` or capitals also as its parts. */
export function wordsIn(text: string): readonly string[] {
	return joined(text.normalize("NFKD").replace(/\p{M}/gu, ""))
		.split(/[^\p{L}\p{N}_]+/u)
		.flatMap((word) => [word, ...partsOf(word)])
		.filter(Boolean)
		.map((word) => stemOf(word.toLowerCase()));
}

function partsOf(word: string): readonly string[] {
	const parts = word.split(/_|(?<=[a-z\d])(?=[A-Z])/);
	return parts.length > 1 ? parts : [];
}

function joined(text: string): string {
	return JOINED.reduce((all, [pattern, word]) => all.replace(pattern, word), text);
}

/** Without the ending of a plural: an image is found by “images”, and the other way round. */
function stemOf(word: string): string {
	if (word.length <= SHORT || /\d|_/.test(word)) return word;
	if (/(ss|us|is)$/.test(word)) return word;
	if (word.endsWith("ies")) return `${word.slice(0, -"ies".length)}y`;
	if (/(x|ch|sh|ss)es$/.test(word)) return word.slice(0, -"es".length);
	return word.endsWith("s") ? word.slice(0, -1) : word;
}
