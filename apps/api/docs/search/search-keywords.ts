/** Words by which a page, or one of its sections, is searched and which it does not have itself. A test holds the paths to the pages. */
export const KEYWORDS: ReadonlyMap<string, string> = new Map(
	Object.entries({
		"/docs/concepts":
			"overview introduction key token session secret tenant rotation leaked jwt bucket user app permission glossary basics credential",
		"/docs/guides/quick-starts":
			"react vue angular svelte sveltekit next nuxt astro express hono nodejs framework tutorial getting started start install hello world example component gatsby remix vite fastify koa nestjs",
		"/docs/guides/quick-starts-rest":
			"python flask fastapi ruby php symfony wordpress rails django laravel getting started start framework",
		"/docs/guides/upload-from-servers":
			"upload file picture photo golang go python ruby php curl multipart content-type form-data post put store send save object backend server idempotency retry blob buffer",
		"/docs/guides/upload-from-browsers":
			"upload presigned signed ticket direct client-side frontend browser mobile phone ios android flutter swift kotlin expo camera drag drop widget progress resume resumable chunk tus large retry policy unsigned cors heic iphone",
		"/docs/guides/responsive-images":
			"thumbnail resize srcset picture optimization optimize webp avif auto lazy loading lqip blurhash thumbhash retina breakpoint color palette dominant size web performance",
		"/docs/guides/images":
			"album folder tag collection gallery batch bulk delete remove restore undelete undo trash replace overwrite update copy move rename expire ttl lifecycle retention metadata label search list pagination paginate cursor public id external heic fetch remote url import idempotency",
		"/docs/guides/delivery":
			"signed url signature private protect secure presigned hotlink access expire named transformation preset variant restrict public share",
		"/docs/guides/own-domain": "custom domain cname hostname vanity white-label dns txt record verify certificate",
		"/docs/guides/sign-in":
			"login signup register auth authentication authenticate oauth user account identity session cookie logout password passwordless magic link passkey callback redirect_uri webauthn delete user gdpr social sso oidc",
		"/docs/guides/hosted-pages":
			"login logout branding logo theme color dark mode popup prompt silent language locale i18n callback redirect redirect_uri error consent checkout customer portal passkey account profile cookie iframe embed ui signinwithredirect signinwithpopup delete account export receipt invoice customize appearance",
		"/docs/guides/selling":
			"price pricing plan paywall subscription subscribe checkout trial cancel refund coupon monetize pay payment customer portal recurring invoice monthly yearly upgrade downgrade test card tier billing entitlement feature gate",
		"/docs/guides/selling#once": "price pricing amount currency cost plan",
		"/docs/guides/stripe":
			"payment live money tax vat coupon discount promotion refund invoice webhook restricted go-live",
		"/docs/guides/events":
			"webhook ngrok tunnel localhost realtime event notification callback subscribe listen retry signature verify feed polling",
		"/docs/guides/moderation": "nsfw abuse report block content trust safety dmca takedown inappropriate adult review",
		"/docs/guides/command-line": "cli terminal shell windows dashboard tui admin script bulk batch import console",
		"/docs/guides/typescript": "sdk javascript node install npm package client library types createClient",
		"/docs/clients":
			"openapi swagger postman insomnia sdk generator java csharp dotnet rust kotlin language multipart rest api specification codegen",
		"/docs/moving-in":
			"migrate migration import bulk s3 r2 minio cloudinary imgix firebase supabase uploadcare cloudflare bucket switch leave transfer gcs google azure blob dropbox csv",
		"/docs/reference/transforms":
			"resize crop watermark thumbnail transform transformation filter effect convert format compress compression quality image url manipulation edit scale exif",
		"/docs/reference/transforms#metadata": "exif gps iptc xmp strip privacy location orientation geotag camera",
		"/docs/reference/transforms#segment": "remove background removal transparent cutout ai mask",
		"/docs/reference/transforms#overlay": "watermark logo badge layer composite stamp",
		"/docs/reference/transforms#saturation": "grayscale greyscale black white monochrome desaturate",
		"/docs/reference/transforms#radius": "round rounded corner circle avatar border",
		"/docs/reference/transforms#gravity": "smart crop face detection focal point center thumb",
		"/docs/reference/transforms#fx": "blur pixelate face anonymize redact background bokeh portrait",
		"/docs/reference/transforms#size": "thumbnail og open graph social card preview",
		"/docs/reference/limits":
			"quota rate limit maximum max file size 429 throttle throttling pagination dimension megapixel bulk allowed format type",
		"/docs/reference/errors":
			"401 403 404 409 413 422 429 500 502 503 504 code failure exception problem troubleshooting debug unauthorized forbidden",
		"/docs/reference/webhooks": "signature hmac verify retry backoff header payload secret event delivery endpoint",
		"/docs/reference/configuration": "environment variables env config dotenv port smtp mail option setting setup",
		"/docs/operate/settings": "environment variables env config dotenv port smtp mail option setting setup",
		"/docs/operate/deploy":
			"docker container kubernetes k8s helm compose host fly render railway vps systemd production install linux aws ec2 digitalocean selfhost vm",
		"/docs/operate/proxy":
			"https tls ssl certificate nginx caddy traefik apache domain custom reverse subdomain load balancer lets encrypt",
		"/docs/operate/caches":
			"cdn cache purge invalidate invalidation cloudflare fastly cloudfront varnish akamai edge ttl",
		"/docs/operate/scaling":
			"scale high availability load balancer horizontal cluster replica many machines ha failover throughput performance",
		"/docs/operate/sizing": "memory ram cpu disk requirement hardware capacity cost performance raspberry",
		"/docs/operate/backup": "disaster recovery restore snapshot litestream dump",
		"/docs/operate/security":
			"gdpr privacy exif gps encryption vulnerability harden checklist production audit penetration pentest responsible disclosure security.txt compliance",
		"/docs/operate/watching":
			"monitoring metrics logs log health check alert grafana prometheus opentelemetry otel tracing apm uptime status observability sentry datadog",
		"/docs/operate/database-server": "postgres postgresql mysql sqlite libsql turso sqld database",
		"/docs/operate/upgrade": "upgrade update version release migration rollback downgrade changelog",
		"/docs/architecture": "architecture source code layout contribute internals design",
		"/docs/languages":
			"translation translate locale localization internationalization i18n l10n german french spanish japanese",
	}),
);
