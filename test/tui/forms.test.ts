import { afterAll, beforeAll, expect, test } from "bun:test";
import { createManagement } from "@svc/sdk/management";
import { connectUser } from "../support/apps.ts";
import { setSelling } from "../support/selling.ts";
import { type Moderated, startModerated } from "./moderated.ts";
import { startProxy } from "./proxy.ts";

/* Each form against a real service, in the real program. */

const ESCAPE = "\u001b";
const SAVE = "\u0013";
const BACKSPACE = "\u007f";
const TAB = "\t";

let world: Moderated;
let app: string;

beforeAll(async () => {
	world = await startModerated([]);
	app = (await management().apps.list()).data[0]?.id ?? "";
	await setSelling(world.service.database, app);
});

afterAll(() => world[Symbol.asyncDispose]());

const management = () => createManagement({ baseUrl: world.service.baseUrl, apiKey: world.service.token });
const plans = () => management().apps.of(app).plans;
const screen = (name: string, ...more: string[]) => ({ args: ["--screen", name, "--app", app, ...more] });
const plan = async (key: string) => (await plans().list()).data.find((one) => one.key === key);

test("an App is made and renamed; what the service refuses stands beside its field [tui.forms.app]", async () => {
	await using program = world.start(screen("apps"));
	await program.until("My first App");
	program.type(`c${"x".repeat(101)}\r`);
	await program.until(/✗ must .*100 characters/);
	program.type(`${BACKSPACE.repeat(101)}Walks\r`);
	await program.until("Made the App Walks.");
	await program.until(/▸? *○ active +Walks/);
	program.type("g");
	await program.until(/▸ +○ active +Walks/);
	program.type("e");
	await program.until("App Walks");
	program.type(` 2${TAB}${TAB} ${SAVE}`);
	await program.until("Walks: changed.");
	const found = (await management().apps.list()).data.find(({ name }) => name === "Walks 2");
	expect(found).toMatchObject({ delivery: "presets" });
});

test("an App is deleted once its name is typed [tui.forms.app-delete]", async () => {
	await management().apps.create("Old one");
	await using program = world.start(screen("apps"));
	await program.until(/▸ +○ active +Old one/);
	program.type("xOld\r");
	await program.until("Type Old one and Enter: Old▏");
	program.type(" one\r");
	await program.until("Old one: is being deleted");
	expect((await management().apps.list()).data.map(({ name }) => name)).not.toContain("Old one");
});

test("operators set an App's plan and limits, from Apps and from Usage [tui.forms.terms]", async () => {
	await using program = world.start(screen("usage"));
	await program.until("Uploads this month");
	program.type("t");
	await program.until("Plan and limits of My first App");
	program.type(` ${TAB}1200${TAB}77${SAVE}`);
	await program.until("Has other terms now.");
	const set = async () => await management().operator.apps.get(app);
	expect(await set()).toMatchObject({ plan: "pro", own_limits: { images: 1200, users: 77 } });
	await program.until(/Images +0 +1,200/);
	program.type("t");
	await program.until("Plan and limits of My first App");
	program.type(`${TAB}${BACKSPACE.repeat(4)}${SAVE}`);
	await program.until("Has other terms now.");
	expect(await set()).toMatchObject({ own_limits: { images: null, users: 77 } });
});

test("a plan is made once, refused beside its key where the key is taken, and changed [tui.forms.plan]", async () => {
	await using program = world.start(screen("plans"));
	await program.until("This App has no plan. c makes one");
	const words = `${TAB}Gold${TAB}All of it${TAB}Large pictures; Support${SAVE}`;
	program.type(`cgold${words}`);
	await program.until("Made the plan Gold.");
	expect(await plan("gold")).toMatchObject({ name: "Gold", benefits: ["Large pictures", "Support"] });
	program.type(`cgold${words}`);
	await program.until("✗ is taken by another plan of this App");
	program.type(`2${SAVE}`);
	await program.until(/gold2 +Gold/);
	expect((await plans().list()).data.map(({ key }) => key)).toEqual(["gold2", "gold"]);
	program.type("ge");
	await program.until("Plan Gold (gold2)");
	await plans().update((await plan("gold2"))?.id ?? "", { description: "Changed elsewhere" });
	program.type(` two${SAVE}`);
	await program.until(/gold2 +Gold two/);
	expect(await plan("gold2")).toMatchObject({ name: "Gold two", description: "Changed elsewhere" });
});

test("a price whose answer got lost is sent again, and there is one [tui.forms.lost-answer]", async () => {
	await plans().create({ key: "tin", name: "Tin" });
	await using proxy = startProxy(world.service);
	const env = { SVC_API_KEY: world.service.token, SVC_BASE_URL: proxy.baseUrl };
	await using program = world.start({ ...screen("plans"), env });
	await program.until(/▸ +○ on sale +tin/);
	proxy.loseNext();
	program.type(`m3${SAVE}`);
	await program.until("$3.00 a month");
	expect((await plan("tin"))?.prices.length).toBe(1);
});

test("a key whose secret got lost on the way is made once, and said to be without it [tui.forms.lost-secret]", async () => {
	await using proxy = startProxy(world.service);
	const env = { SVC_API_KEY: world.service.token, SVC_BASE_URL: proxy.baseUrl };
	await using program = world.start({ ...screen("keys"), env });
	await program.until("read+write");
	proxy.loseNext();
	program.type(`cLost${SAVE}`);
	await program.until("✗ The key Lost was made, and its secret got lost on the way");
	const keys = (await management().apps.of(app).keys.list()).data;
	expect(keys.filter(({ name }) => name === "Lost").length).toBe(1);
});

test("where tiers rule, operators set the tier, which limits neither images nor users [tui.forms.tiers]", async () => {
	await using old = await startModerated([], { SVC_VARIANT: "legacy" });
	const { baseUrl, token } = old.service;
	const { operator } = createManagement({ baseUrl, apiKey: token });
	const [first] = (await operator.apps.list({ q: "My first App" })).data;
	await using program = old.start({ args: ["--screen", "apps", "--app", first?.id ?? ""] });
	const apps = await program.until(/tier +free/);
	expect(apps[1]).not.toMatch(/Events|Webhooks|Hooks|Tickets|Presets/);
	program.type("/My first\rt");
	// The names of the screens stand above it.
	const shown = (await program.until("Tier of My first App")).slice(2).join("\n");
	expect(shown).not.toMatch(/Images|unlimited/);
	program.type(`max${SAVE}`);
	await program.until("My first App: has other terms now.");
	expect((await operator.apps.get(first?.id ?? "")).plan).toBe("max");
});

test("prices are added, taken off sale, and a plan that was archived meanwhile loses nothing that was typed [tui.forms.price]", async () => {
	await plans().create({ key: "silver", name: "Silver" });
	await using program = world.start(screen("plans"));
	await program.until(/▸ +○ on sale +silver/);
	program.type(`m4.999${SAVE}`);
	await program.until("✗ has at most 2 digits behind the point");
	program.type(`${BACKSPACE}${TAB}${BACKSPACE.repeat(3)}xxx${SAVE}`);
	await program.until("✗ must be the code of a currency");
	program.type(`${BACKSPACE.repeat(3)}eur${TAB} ${TAB}${BACKSPACE}14${SAVE}`);
	await program.until("€4.99 a year, 14 days free");
	expect((await plan("silver"))?.prices).toMatchObject([
		{ amount: 499, currency: "eur", interval: "year", trial_days: 14, on_sale: true },
	]);
	program.type("t");
	await program.until("Prices of Silver");
	program.type(`n${SAVE}`);
	await program.until(/withdrawn +€4\.99 a year/);
	expect((await plan("silver"))?.prices).toMatchObject([{ on_sale: false }]);
	program.type("m7");
	await program.until("New price of Silver");
	await plans().archive((await plan("silver"))?.id ?? "");
	program.type(SAVE);
	await program.until(/✗ .*archived.*\(request req_/);
	await program.until("Amount");
	program.type(`${ESCAPE}y`);
	await program.until("Nothing was changed.");
});

test("a key is made with what it may and how long; its secret is shown once [tui.forms.key]", async () => {
	await using program = world.start(screen("keys"));
	await program.until("read+write");
	program.type(`c${SAVE}`);
	await program.until("✗ is needed: which program has it");
	program.type(`Reader${TAB} ${TAB}${TAB}999${SAVE}`);
	await program.until(/✗ .*365 days/);
	program.type(`${BACKSPACE.repeat(3)}30${SAVE}`);
	await program.until(/svc_sk_test_\w{20,} +shown this once/);
	program.type(ESCAPE);
	await program.until("Made the key Reader.");
	const [made] = (await management().apps.of(app).keys.list()).data;
	expect(made).toMatchObject({ name: "Reader", permissions: ["read"] });
	expect(Math.round((Date.parse(made?.expires_at ?? "") - Date.now()) / 86_400_000)).toBe(30);
});

test("a user is given a plan for nothing; without a reason nothing is given [tui.forms.grant]", async () => {
	// While it is off, nobody is shown.
	await management().apps.update(app, { signInEnabled: true });
	const user = await connectUser(world.service.database, { id: app });
	await plans().create({ key: "gift", name: "Gift" });
	await using program = world.start(screen("users"));
	await program.until("○ connected");
	program.type(`mgifts${TAB}${TAB}${SAVE}`);
	await program.until("✗ must say why: the user reads it");
	program.type(`Thanks${SAVE}`);
	await program.until("✗ is no plan of this App that is not archived");
	program.type(`${BACKSPACE}${SAVE}`);
	await program.until("has the plan now");
	const { data } = await management().apps.of(app).users.list();
	expect(data.find(({ id }) => id === user.id)?.grant).toMatchObject({ plan_key: "gift", reason: "Thanks" });
});

test("read-only has no key that opens a form [tui.forms.read-only]", async () => {
	await using program = world.start(screen("apps", "--read-only"));
	await program.until("My first App");
	program.type("cetx?");
	const keys = (await program.until("All keys")).join("\n");
	expect(keys).not.toMatch(/Make an App|Rename|plan and limits|Delete the App/);
});

test("a form scrolls in a small terminal, takes a paste, and asks before it forgets what was typed [tui.forms.small]", async () => {
	await using program = world.start({ ...screen("plans"), columns: 60, rows: 15 });
	await program.until(/▸|no plan/);
	program.type("c");
	await program.until("New plan of My first App");
	program.type(`${ESCAPE}[200~pasted\nkey${ESCAPE}[201~`);
	await program.until("pasted key");
	program.type(TAB.repeat(4));
	await program.until("Buyers see lower numbers first");
	program.type(ESCAPE);
	await program.until("forget what was typed?");
	program.type("n");
	await program.until("ctrl-s save");
	program.type(ESCAPE);
	await program.until("forget what was typed?");
	program.type("y");
	await program.until("Nothing was changed.");
});
