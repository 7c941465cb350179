import { findForbiddenWord, nameFault } from "@svc/apps/profile/app-names";
import { Failure } from "@svc/base/failure";
import type { PlanFields } from "./plan.ts";

/*
 * How plans that Apps sell may be called (specification, "Authentication" 8). A plan's name holds neither the service's name nor a word
 * of endorsement. A description or benefit never names the service, and may use a word of endorsement for a feature ("Verified
 * badge on your profile") but not for the plan. A sentence calls the plan so when
 * - the word describes the plan in one phrase with it: "official plan", "verified Gold tier", or the plan's own name;
 * - it is said of the plan: "this plan is official", "Gold: verified";
 * - there is nothing else that it could be about: "Verified", "100% official", "Verified by us".
 */

const NAME_MAX = 100;
const ENDORSEMENTS = ["official", "officially", "verified"];
/** Words that mean the plan. */
const PLAN_WORDS = words(
	"plan plans tier tiers subscription subscriptions membership memberships package packages edition",
);
const PRONOUNS = words("it this that we");
/** Words between the plan and what it is said to be. */
const LINKS = words("which is are was be being been s re now also fully the a an our only and truly really the");
/** Words where a phrase about one thing ends. */
const PHRASE_ENDS = words(
	"on in for of with by to from at as into via per your their his her its my every each all any includes including has have get gets gives comes",
);
/** Words that no feature can be. */
const FILLERS = new Set([...LINKS, ...words("100 and yes very your by us we me")]);
/** How many words may stand between the plan and its endorsement. */
const REACH = 3;

function words(text: string): ReadonlySet<string> {
	return new Set(text.split(" "));
}

/** @throws Failure validation_error naming each of `name`, `description` and `benefits` that says what it must not */
export function refusePlanWords(plan: Omit<PlanFields, "displayOrder">, serviceName: string): void {
	const name = planNameFault(plan.name, serviceName);
	const description = planTextFault(plan.description, plan.name, serviceName);
	const benefits = plan.benefits
		.map((benefit) => planTextFault(benefit, plan.name, serviceName))
		.find((fault) => fault !== undefined);
	if (name === undefined && description === undefined && benefits === undefined) return;
	throw new Failure("validation_error", {
		...(name !== undefined && { name: [name] }),
		...(description !== undefined && { description: [description] }),
		...(benefits !== undefined && { benefits: [benefits] }),
	});
}

/** What is wrong with the name of a plan; undefined when nothing is. */
export function planNameFault(name: string, serviceName: string): string | undefined {
	const fault = nameFault(name, NAME_MAX);
	if (fault !== undefined) return fault;
	const word = findForbiddenWord(name, [serviceName, ...ENDORSEMENTS]);
	return word === undefined ? undefined : `must not hold the word ${word}`;
}

/** What is wrong with a description or benefit of the plan of that name; undefined when nothing is. */
export function planTextFault(text: string, planName: string, serviceName: string): string | undefined {
	if (findForbiddenWord(text, [serviceName]) !== undefined) return `must not name this service, ${serviceName}`;
	const endorsement = findForbiddenWord(text, ENDORSEMENTS);
	if (endorsement === undefined) return undefined;
	const sentences = text.split(/[.!?;\n]+(?:\s|$)/).map((sentence) => tokensOf(sentence, planName));
	// A word that is only found in what is left between the tokens was spelt so as not to be found.
	const hidden = !sentences.some((tokens) => tokens.includes("endorsed"));
	if (!hidden && !sentences.some(callsPlanSo)) return undefined;
	return `may say ${endorsement} of a feature, not of the plan`;
}

type Token = "comma" | "endorsed" | "plan" | "pronoun" | "link" | "end" | "filler" | "other";

/** The tokens of a sentence: its words as this rule classifies them. */
function tokensOf(sentence: string, planName: string): readonly Token[] {
	const own = wordsOf(planName);
	const spoken = wordsAndCommasOf(sentence);
	const tokens: Token[] = [];
	for (let place = 0; place < spoken.length; place++) {
		const named = own.length > 0 && own.every((word, offset) => spoken[place + offset] === word);
		tokens.push(named ? "plan" : tokenOf(spoken[place] ?? ""));
		if (named) place += own.length - 1;
	}
	return tokens;
}

function wordsOf(text: string): readonly string[] {
	return wordsAndCommasOf(text).filter((word) => word !== ",");
}

function wordsAndCommasOf(text: string): readonly string[] {
	return (
		text
			.normalize("NFKC")
			.toLowerCase()
			.match(/[\p{L}\p{N}\p{M}]+|,/gu) ?? []
	);
}

function tokenOf(word: string): Token {
	if (word === ",") return "comma";
	if (findForbiddenWord(word, ENDORSEMENTS) !== undefined) return "endorsed";
	if (PLAN_WORDS.has(word)) return "plan";
	if (PRONOUNS.has(word)) return "pronoun";
	if (LINKS.has(word)) return "link";
	if (PHRASE_ENDS.has(word)) return "end";
	return FILLERS.has(word) ? "filler" : "other";
}

function callsPlanSo(sentence: readonly Token[]): boolean {
	const tokens = sentence.filter((token) => token !== "comma");
	if (sentence.some((token, place) => token === "endorsed" && isAside(sentence, place))) return true;
	return tokens.some(
		(token, place) =>
			token === "endorsed" && (describesPlan(tokens, place) || isSaidOfPlan(tokens, place) || standsAlone(tokens)),
	);
}

/** "official plan", "verified gold plan" */
function describesPlan(tokens: readonly Token[], place: number): boolean {
	const phrase = tokens.slice(place + 1, place + 1 + REACH);
	const plan = phrase.indexOf("plan");
	return plan !== -1 && !phrase.slice(0, plan).includes("end");
}

/** "the plan is official" */
function isSaidOfPlan(tokens: readonly Token[], place: number): boolean {
	let before = place - 1;
	while (tokens[before] === "link" || tokens[before] === "endorsed") before--;
	const subject = tokens[before];
	if (subject === "pronoun") return before < place - 1 && endsThere(tokens, place);
	return subject === "plan" && endsThere(tokens, place);
}

/** "the plan, which is official, costs 5": the plan, a comma, links, and a comma or the end behind it. */
function isAside(tokens: readonly Token[], place: number): boolean {
	let before = place - 1;
	while (tokens[before] === "link") before--;
	return tokens[before] === "comma" && tokens[before - 1] === "plan" && (tokens[place + 1] ?? "comma") === "comma";
}

/** Nothing follows in the phrase that it could refer to instead: "Gold: verified badge" is about a badge. */
function endsThere(tokens: readonly Token[], place: number): boolean {
	const next = tokens.slice(place + 1).find((token) => token !== "endorsed" && token !== "link");
	return next === undefined || next === "end" || next === "filler";
}

function standsAlone(tokens: readonly Token[]): boolean {
	const phrase = tokens.slice(0, tokens.includes("end") ? tokens.indexOf("end") : undefined);
	const opening = phrase.includes("endorsed") ? phrase : tokens;
	return !opening.some((token) => token === "other" || token === "plan");
}
