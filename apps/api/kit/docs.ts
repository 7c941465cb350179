import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Elysia } from "elysia";
import type { ApiRooms } from "./rooms.ts";

/* The page that shows the API document. Its assets are our own, from the swagger-ui-dist package: nothing loads from elsewhere. */

const ASSETS = {
	"swagger-ui.css": "text/css; charset=utf-8",
	"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

const START = `window.addEventListener("load", () => {
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

const HEADERS = {
	// The viewer sets style attributes and draws its icons from data: addresses; scripts come from here only.
	"Content-Security-Policy":
		"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
	"X-Content-Type-Options": "nosniff",
	"Referrer-Policy": "no-referrer",
};

export function docs(app: Elysia, rooms: ApiRooms): void {
	const hidden = { detail: { hide: true } };
	const folder = join(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"), "..");
	app.get("/docs", () => page("text/html; charset=utf-8", html(rooms.name)), hidden);
	app.get("/docs/start.js", () => page("text/javascript; charset=utf-8", START), hidden);
	for (const [name, type] of Object.entries(ASSETS)) {
		app.get(`/docs/${name}`, async () => page(type, await readFile(join(folder, name))), hidden);
	}
}

function page(type: string, content: string | Uint8Array<ArrayBuffer>): Response {
	return new Response(content, { headers: { ...HEADERS, "Content-Type": type } });
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
<style>
.swagger-ui .info summary { cursor: pointer; font-weight: 600; padding: .75rem 0 }
.swagger-ui .info table { display: block; overflow-x: auto }
.swagger-ui .info code { overflow-wrap: anywhere }
.swagger-ui .info td code { white-space: nowrap }
</style>
</head>
<body>
<noscript>This viewer needs JavaScript; the document itself is <a href="/openapi.json">/openapi.json</a>.</noscript>
<main id="docs"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}
