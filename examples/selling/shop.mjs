/* What this App sells, and what somebody has bought, as HTML. */

import { html } from "hono/html";
import { pictures, uploadForm } from "./page.mjs";

/** What who has no plan is told. */
export const offer = html`<a class="button primary" href="/billing">See the plans</a>`;

export const welcome = (sale) => html`<main>
	<h1>Your pictures</h1>
	<p>Three pictures are free.</p>
	<p><a class="button primary" href="/photos">Sign in</a></p>
	${plans(sale, false)}
</main>`;

export const gallery = ({ user, images, status, sale }) => html`<header class="bar">
		<p>Signed in as ${user.email}</p>
		<form method="post" action="/sign-out"><button>Sign out</button></form>
	</header>
	<main>
		<h1>Your pictures</h1>
		${status.access.plan_key === null ? "" : bought(status, sale)}
		${uploadForm}
		${pictures(images)}
		${status.access.plan_key === null ? plans(sale, status.trial_eligible) : ""}
	</main>`;

function bought({ access, subscription }, sale) {
	const plan = sale.data.find(({ key }) => key === access.plan_key);
	const ends = subscription?.cancel_at_period_end ? "It ends" : "It is renewed";
	return html`<section class="card bar" aria-label="Your plan">
		<p>
			<strong>${plan?.name ?? access.plan_key}</strong>: ${STATES[access.status] ?? access.status}.
			${access.expires_at ? `${ends} on ${day(access.expires_at)}.` : ""}
		</p>
		<a class="button" href="/billing">Change or cancel</a>
	</section>`;
}

/** Words for what access can be; a newer service may know more. */
const STATES = { active: "yours", trialing: "on trial", grace: "yours, and a payment is missing" };

function plans({ data, purchasing_enabled }, hasTrial) {
	if (!purchasing_enabled) return "";
	return html`<h2>Plans</h2>
		<ul class="pictures">${data.flatMap((plan) => plan.prices.map((price) => card(plan, price, hasTrial)))}</ul>`;
}

const card = (plan, price, hasTrial) => html`<li class="card">
	<h3>${plan.name}</h3>
	<p>${money(price)} a ${price.interval}</p>
	<ul>${plan.benefits.map((benefit) => html`<li>${benefit}</li>`)}</ul>
	<a class="button primary" href="/billing?price_id=${price.id}">
		${hasTrial && price.trial_days > 0 ? `Try ${plan.name} for ${price.trial_days} days` : `Get ${plan.name}`}
	</a>
</li>`;

function money({ amount, currency }) {
	const format = new Intl.NumberFormat("en", { style: "currency", currency });
	// The amount is in the currency's smallest unit, of which most have a hundred and some have none.
	return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
}

const day = (date) => new Date(date).toLocaleDateString("en", { dateStyle: "long" });
