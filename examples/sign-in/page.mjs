/* What all pages of this App have around them. */

import { ApiError, picture } from "@svc/sdk";
import { html } from "hono/html";

/** `html` escapes what is put into it. */
export const layout = (title, body) => html`<!doctype html>
	<html lang="en">
		<head>
			<meta charset="utf-8">
			<meta name="viewport" content="width=device-width">
			<title>${title}</title>
			<link rel="icon" href="data:,">
			<link rel="stylesheet" href="/style.css">
		</head>
		<body>${body}</body>
	</html>`;

/** A page that says one thing, and leads back. */
export function message(context, status, title, text = "") {
	const body = html`<main>
		<h1>${title}</h1>
		<p>${text}</p>
		<p><a class="button" href="/photos">Back to your pictures</a></p>
	</main>`;
	return context.html(layout(title, body), status);
}

/** The page for a failure: what the service refused, in its words. */
export function failed(error, context) {
	if (error instanceof ApiError && error.status < 500 && error.status !== 401) {
		const [field, reasons] = Object.entries(error.details ?? {})[0] ?? [];
		const why = field ? `${field}: ${reasons.join(", ")}` : error.message;
		return message(context, error.status, "That did not work", why);
	}
	console.error(error);
	return message(context, 500, "That did not work", "Try again in a moment.");
}

/** A person's pictures, each with a button that deletes it. */
export const pictures = (images) => html`<ul class="pictures">${images.map(line)}</ul>`;

function line(image) {
	const { img } = picture(image, {
		alt: image.caption,
		ratio: 4 / 3,
		fallback: "auto",
		sizes: "(min-width: 40em) 20rem, 100vw",
	});
	return html`<li>
		<img src="${img.src}" srcset="${img.srcset}" sizes="${img.sizes}" width="${img.width}" height="${img.height}" alt="${img.alt}" loading="lazy">
		<div>
			${image.caption}
			<form method="post" action="/photos/${image.id}/delete">
				<button aria-label="Delete ${image.caption}">Delete</button>
			</form>
		</div>
	</li>`;
}

export const uploadForm = html`<form class="upload" method="post" action="/photos" enctype="multipart/form-data">
	<label>Picture <input type="file" name="file" accept="image/*" required></label>
	<label>What it shows <input name="caption" maxlength="500" required></label>
	<button class="primary">Upload</button>
</form>`;
