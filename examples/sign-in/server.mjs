/* An App with people: they sign in at the service, and each has pictures of their own. */

import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { callback, requireUser, signIn, signOut } from "@svc/sdk/hono";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import { failed, layout, message, pictures, uploadForm } from "./page.mjs";
import { origin, people, port, svc } from "./svc.mjs";

const app = new Hono();

app.get("/style.css", serveStatic({ root: import.meta.dirname }));
app.get("/", (context) => context.html(layout("Your pictures", welcome)));
app.get("/sign-in", signIn(people));
app.get("/callback", callback(people));
app.post("/sign-out", signOut(people));

// Below this line only those who are signed in are served, and only with what is theirs.
app.use("/photos/*", requireUser(people));

app.get("/photos", async (context) => {
	const user = context.get("user");
	const { data } = await svc.forUser(user.id).images.list({ limit: 24 });
	return context.html(layout("Your pictures", gallery(user, data, await svc.disconnectUrl())));
});

app.post("/photos", bodyLimit({ maxSize: 20_500_000 }), async (context) => {
	const { file, caption } = await context.req.parseBody();
	if (!(file instanceof File)) return message(context, 400, "Choose a picture first");
	await svc.forUser(context.get("user").id).images.upload(file, { caption });
	return context.redirect("/photos", 303);
});

app.post("/photos/:id/delete", async (context) => {
	await svc.forUser(context.get("user").id).images.delete(context.req.param("id"));
	return context.redirect("/photos", 303);
});

app.onError(failed);

const welcome = html`<main>
	<h1>Your pictures</h1>
	<p>Keep pictures that only you see in the list.</p>
	<p><a class="button primary" href="/photos">Sign in</a></p>
</main>`;

const gallery = (user, images, leave) => html`<header class="bar">
		<p>Signed in as ${user.email}</p>
		<form method="post" action="/sign-out"><button>Sign out</button></form>
	</header>
	<main>
		<h1>Your pictures</h1>
		${uploadForm}
		${images.length === 0 ? html`<p class="soft">There is none yet.</p>` : pictures(images)}
	</main>
	<footer><a href="${leave}">Leave this App and delete my pictures</a></footer>`;

serve({ fetch: app.fetch, port }, () => console.log(`Open ${origin}`));
