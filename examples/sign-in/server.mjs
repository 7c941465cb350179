/* An App with people: they sign in at the service, and each has pictures of their own. */

import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import { layout, message, pictures, uploadForm } from "./page.mjs";
import { failed, signIn, userOf } from "./sign-in.mjs";
import { hostedPage, origin, port, svc } from "./svc.mjs";

const app = new Hono();

app.get("/style.css", serveStatic({ root: import.meta.dirname }));
app.route("/", signIn);

app.get("/", async (context) => {
	const user = userOf(context);
	if (!user) return context.html(layout("Your pictures", welcome));
	const { data } = await svc.images.list({ user: user.id, limit: 24 });
	return context.html(layout("Your pictures", gallery(user, data)));
});

// Below this line only those who are signed in are served, and only with what is theirs.
app.use("/photos/*", async (context, next) => (userOf(context) ? next() : context.redirect("/", 303)));

app.post("/photos", bodyLimit({ maxSize: 20_500_000 }), async (context) => {
	const { file, caption } = await context.req.parseBody();
	if (!(file instanceof File)) return message(context, 400, "Choose a picture first");
	await svc.images.upload(file, { user: userOf(context).id, caption });
	return context.redirect("/", 303);
});

app.post("/photos/:id/delete", async (context) => {
	await svc.images.delete(context.req.param("id"), { user: userOf(context).id });
	return context.redirect("/", 303);
});

app.onError(failed);

const welcome = html`<main>
	<h1>Your pictures</h1>
	<p>Keep pictures that only you see in the list.</p>
	<p><a class="button primary" href="/sign-in">Sign in</a></p>
</main>`;

const gallery = (user, images) => html`<header class="bar">
		<p>Signed in as ${user.email}</p>
		<form method="post" action="/sign-out"><button>Sign out</button></form>
	</header>
	<main>
		<h1>Your pictures</h1>
		${uploadForm}
		${images.length === 0 ? html`<p class="soft">There is none yet.</p>` : pictures(images)}
	</main>
	<footer><a href="${hostedPage("/account/apps/:app/disconnect")}">Leave this App and delete my pictures</a></footer>`;

serve({ fetch: app.fetch, port }, () => console.log(`Open ${origin}`));
