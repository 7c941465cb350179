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

/** A word of ours, and those for which it is looked for as well, counting less. */
const SYNONYMS = `
403: forbidden
agent: ai mcp
android: kotlin
app: tenant
astro: jamstack
audit: log
background: transparent
backup: archive crash
batch: bulk
blur: blurry hide pixelate redact
browser: spa
bucket: aws azure b2 gcs minio r2 s3 storage
cache: bandwidth bunny caching cdn cloudfront delivery edge latency slow speed
cancel: unsubscribe
checkout: purchase
code: magic password pin
configuration: configure env environment variable
connect: oauth oidc register signup
consent: tos
cookie: signout
copy: duplicate
cursor: pagination page paginate
dashboard: screenshot
database: postgres postgresql sqlite
delete: erase remove
delivery: policy
deploy: host hosting install selfhost server volume
disconnect: erase gdpr privacy
disk: volume
dl: download filename
docker: container deploy
domain: subdomain
edit: rename
end: expire expiration expiry
erase: delete gdpr
event: notification notify
events: realtime
export: archive gdpr zip
face: avatar facial
faces: detect pixelate
filepond: widget
fit: crop enlarge resize thumbnail upscale
format: convert compress compression encode optimise optimization optimize transcode
formats: video
frame: animation
fx: filter
generator: java
gif: animation
gravity: avatar crop
h: resize
heic: heif
idempotency: duplicate idempotent resumable retry
image: photo picture
imaging: wasm
import: batch bulk imgix migrate
info: dimension
jobs: queue
key: auth authorization authorize credential
kubernetes: cluster helm ingress k8s
label: album folder tag
labels: filter
languages: i18n l10n localization locale
leave: erase
limits: quota ratelimit size throttle throttling
list: gallery pagination page paginate
localhost: dev
logo: branding profile
mcp: ai
members: role team
metadata: geolocation gps locate original privacy
metrics: analytics monitor monitoring observability prometheus stats statistic
moderation: explicit hide inappropriate
moving: migrate
next: jamstack react
npm: install
nsfw: explicit inappropriate nudity porn
older: legacy
onprogress: progress
open: public
origins: restrict
overlay: badge watermark
passkey: google password
permission: access
phone: mobile
php: wordpress
picture: gallery react responsive srcset
placeholder: blurhash blurry lazy lqip preview
plan: membership paywall pricing sell tier
policy: delivery hotlink hotlinking private protect public restrict
presets: template variant
price: charge currency fee money payment pricing
profile: branding
promotion: coupon discount
proxy: apache ingress nginx tls
python: fastapi flask
q: compress compression
quality: compress compression optimise optimization optimize shrink
quickstart: begin framework onboarding start tutorial
radius: avatar round
rate: throttle throttling
rate_limited: ratelimit
readyz: health
receipt: invoice
redirect: callback
refund: withdraw
remove: delete
responsive: angular lazy srcset thumbnail
restore: recover trash undelete undo
revoke: compromised
role: access permission
rotate: orientation
s3: aws bucket minio
saturation: grayscale greyscale
scaling: autoscale cluster latency load microservice performance slow
sdk: client
secret: compromised credential
security: safe scan secure virus
segment: ai transparent
selling: payment purchase saas sell
session: jwt signout
signature: verify
signed: hotlink hotlinking presigned private protect secure share signature
signin: account auth authenticate authentication authorize google magic oauth oidc password register signup social sso
simulated: test
sizing: disk performance requirement
srcset: responsive
state: csrf
stripe: payment tax
subscriber: customer
subscription: cancel charge membership paywall recurring
team: member role
test: dev
thumbhash: blurhash
ticket: mobile phone presigned resumable spa uppy
tile: watermark
tls: certificate https ssl
token: jwt
traces: tracing
transforms: imgix parameter photoshop resize transform transformation variant
ttl: expire expiration expiry lifecycle tmp
tui: dashboard
typescript: angular sdk
unauthorized: authorization
update: edit
updatemany: batch
upgrade: changelog release rollback version
uppy: widget
url: address slug uri
usage: analytics bandwidth stats statistic
user: customer users
users: tenant
variable: env environment
w: resize shrink size thumbnail
watching: health log metric monitor monitoring observability outage status
webhook: hook notification notify
width: dimension
withdraw: refund
`;

/** Words that most pages have: they order what is found, and need not be there beside others. */
export const LIGHT = new Set(["image", "picture", "photo", "file"]);

const TABLE = new Map<string, string[]>();
for (const line of SYNONYMS.trim().split("\n")) {
	const [ours = "", words = ""] = line.split(": ");
	for (const word of words.split(" ").map(stemOf)) TABLE.set(word, [...(TABLE.get(word) ?? []), stemOf(ours)]);
}

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
