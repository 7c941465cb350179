import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Elysia } from "elysia";
import { type KeptFile, keepFile, sendFile } from "../kit/kept.ts";
import type { ApiRooms } from "../kit/rooms.ts";

/* The page that shows the API document. Its assets are our own, from the swagger-ui-dist package: nothing loads from elsewhere. */

const ASSETS = {
	"swagger-ui.css": "text/css; charset=utf-8",
	"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

/* The viewer, and what it leaves out for people who hear the page or use the keyboard alone: names for what has none, regions for what
   stands outside of them, no link inside of a button. It draws again with each click, so that it is mended again. */
const START = `const NAMES = {
	"#servers": ["Server"],
	".close-modal": ["Close"],
	".body-param__text": ["Body"],
	".examples-select-element": ["Example"],
	".information-container": ["About this API", "region"],
	".scheme-container": ["Server and authorization", "region"],
	".dialog-ux .modal-ux": ["Authorization", "dialog"],
};

function mend() {
	for (const [selector, [name, role]] of Object.entries(NAMES)) {
		for (const found of document.querySelectorAll(selector)) {
			found.setAttribute("aria-label", name);
			if (role) found.setAttribute("role", role);
		}
	}
	for (const button of document.querySelectorAll(".auth-btn-wrapper [aria-label]")) button.removeAttribute("aria-label");
	for (const row of document.querySelectorAll("tr[data-param-name]")) {
		for (const control of row.querySelectorAll("textarea, input, select")) control.setAttribute("aria-label", row.dataset.paramName);
	}
	for (const table of document.querySelectorAll(".responses-table")) table.setAttribute("aria-label", table.id.replaceAll("_", " "));
	for (const heading of document.querySelectorAll(".models h4")) heading.setAttribute("aria-level", "2");
	for (const link of document.querySelectorAll("button a[href]")) link.removeAttribute("href");
	for (const wide of document.querySelectorAll(".info table, .highlight-code pre, .microlight")) wide.tabIndex = 0;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const choose = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", choose);
choose();

window.addEventListener("load", () => {
	new MutationObserver(mend).observe(document.getElementById("docs"), { childList: true, subtree: true });
	SwaggerUIBundle({
		url: "/openapi.json",
		dom_id: "#docs",
		deepLinking: true,
		docExpansion: "none",
		defaultModelsExpandDepth: 0,
		validatorUrl: null,
	});
});
`;

/* Its own colours are too pale to be read by everybody (WCAG 2.2, 1.4.3). */
const STYLE = `
.swagger-ui .info summary { cursor: pointer; font-weight: 600; padding: .75rem 0 }
.swagger-ui .info table { display: block; overflow-x: auto }
.swagger-ui .responses-inner, .swagger-ui .opblock-section, .swagger-ui .headers-wrapper { overflow-x: auto }
.swagger-ui .info code { overflow-wrap: anywhere }
.swagger-ui .info td code { white-space: nowrap }
.swagger-ui .info .title small { background: #4d5566 }
.swagger-ui .info .title small.version-stamp { background: #3f6b00 }
.swagger-ui .info a, .swagger-ui .info .link .url, .swagger-ui .link { color: light-dark(#1f5fae, #8fc1ff) }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after { color: #b3261e }
.swagger-ui .btn.authorize { border-color: #0b6b3d; color: #0b6b3d }
.swagger-ui .btn.authorize svg { fill: #0b6b3d }
.swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e }
.swagger-ui .download-contents { background: #4d5566 }
.swagger-ui .btn.execute { background: #1f5fae; border-color: #1f5fae }
.swagger-ui .parameter__in, .swagger-ui .parameter__type, .swagger-ui .response-col_links, .swagger-ui .prop-format { color: #595959 }
.swagger-ui .headers-wrapper .header-col, .swagger-ui .header-col { color: light-dark(#3b4151, #e4e6e6) !important }
.swagger-ui .response .renderedMarkdown code { color: light-dark(#6a1bb5, #c9a6ee) }
.swagger-ui code span[style*="211, 99, 99"] { color: #ffa3a3 !important }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fae }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #17703f }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f6b63 }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e }
.swagger-ui .opblock .opblock-summary-method { color: #fff }
@media (max-width: 640px) {
	.swagger-ui .wrapper, .swagger-ui .opblock-tag { padding-inline: 8px }
	.swagger-ui .opblock-tag { flex-wrap: wrap }
	.swagger-ui .opblock-tag small { flex-basis: 100%; order: 1 }
	.swagger-ui .opblock .opblock-summary-path-description-wrapper { flex-basis: 60%; flex-direction: column; align-items: start }
	.swagger-ui .opblock .opblock-summary-description { padding: 0 }
	.swagger-ui .opblock .opblock-summary-method { min-width: 60px; padding-inline: 4px }
	.swagger-ui .opblock-section-header { padding-inline: 8px }
}
`;

const HEADERS = {
	// The viewer sets style attributes and draws its icons from data: addresses; scripts come from here only.
	"Content-Security-Policy":
		"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
	"Referrer-Policy": "no-referrer",
};

export function reference(app: Elysia, rooms: ApiRooms): void {
	const folder = join(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"), "..");
	serve(app, "/docs/api", "text/html; charset=utf-8", async () => html(rooms.name));
	serve(app, "/docs/start.js", "text/javascript; charset=utf-8", async () => START);
	for (const [name, type] of Object.entries(ASSETS)) {
		serve(app, `/docs/${name}`, type, async () => new Uint8Array(await readFile(join(folder, name))));
	}
}

/** The file is read when it is first asked for. */
function serve(app: Elysia, path: string, type: string, read: () => Promise<KeptFile["content"]>): void {
	let kept: Promise<KeptFile> | undefined;
	const load = async () => keepFile(await read(), { ...HEADERS, "Content-Type": type });
	app.get(
		path,
		async ({ request }) => {
			kept ??= load();
			return sendFile(request, await kept);
		},
		{ detail: { hide: true } },
	);
}

function html(name: string): string {
	const title = `${name.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)} API`;
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>${STYLE}</style>
</head>
<body>
<noscript>This viewer needs JavaScript; the document itself is <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}
