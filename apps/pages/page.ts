const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{max-width:40rem;margin:10vh auto;padding:0 1rem}`;

/* The digest of the only style that a page has: nothing else may run or load. */
async function contentSecurityPolicy(): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
	const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
	return `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`;
}

const POLICY = await contentSecurityPolicy();

/** A whole page, rendered once; `body` is trusted HTML, `title` is not. */
export function page(status: number, title: string, body: string): () => Response {
	const name = title.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
	const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${name}</title><style>${STYLE}</style></head>
<body><main><h1>${name}</h1>${body}</main></body>
</html>
`;
	return () =>
		new Response(html, {
			status,
			headers: {
				"Content-Type": "text/html; charset=utf-8",
				"Content-Security-Policy": POLICY,
				"Cache-Control": "no-store",
				"Referrer-Policy": "same-origin",
				"X-Content-Type-Options": "nosniff",
			},
		});
}
