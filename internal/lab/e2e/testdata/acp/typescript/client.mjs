// Drives aura acp with the official TypeScript library. It prints what it saw as lines of JSON; the Go test compares them.
// Usage: node client.mjs AURA DIR TURNS
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [aura, cwd, turns] = process.argv.slice(2);
const m = acp.methods;
const say = (what, value) => console.log(JSON.stringify({ what, value }));
const codeOf = (promise) => promise.then(() => 0, (error) => error.code ?? String(error));

// start runs f with a connection to a new aura. end is how aura ends: by the end of its input, or by a signal.
async function start(f, end) {
  const child = spawn(aura, ["acp"], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));
  const seen = { updates: [], asked: [], forms: 0, states: 0, answer: "once" };
  const app = acp
    .client({ name: "test" })
    .onNotification(m.client.session.update, ({ params }) => void seen.updates.push(params))
    .onNotification("_aura/plugin_state", (raw) => raw, () => void seen.states++)
    .onRequest(m.client.session.requestPermission, ({ params }) => {
      seen.asked.push(params.toolCall.title);
      if (seen.answer === "cancelled") return { outcome: { outcome: "cancelled" } };
      return { outcome: { outcome: "selected", optionId: seen.answer } };
    })
    .onRequest(m.client.elicitation.create, ({ params }) => {
      seen.forms++;
      const answers = params.requestedSchema.properties.answer.oneOf.map((one) => one.const);
      return { action: "accept", content: { answer: answers.includes("f") ? "f" : answers[0] } };
    });
  const connection = app.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const agent = connection.agent;
  const got = await agent.request(m.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "test", version: "1" },
    clientCapabilities: { session: { notices: {}, compaction: {} }, elicitation: { form: {} } },
  });
  say("initialized", [got.protocolVersion, got.agentInfo.name, got.agentCapabilities.loadSession]);
  try {
    return await f(agent, seen, child);
  } finally {
    if (end) child.kill(end);
    else child.stdin.end();
    say("exit", await exited);
  }
}

const text = (text) => [{ type: "text", text }];
const kinds = (seen) => [...new Set(seen.updates.map((one) => one.update.sessionUpdate))].sort();

const sessionId = await start(async (agent, seen) => {
  const { sessionId, configOptions, modes } = await agent.request(m.agent.session.new, { cwd, mcpServers: [] });
  say("forms", seen.forms);
  say("options", configOptions.map((one) => one.id));
  say("modes", modes.availableModes.map((one) => one.id));
  const prompt = (words, id = sessionId) => agent.request(m.agent.session.prompt, { sessionId: id, prompt: text(words) }).then((got) => got.stopReason);
  const answers = ["once", "session", "reject", "cancelled"];
  const stops = {};
  for (let i = 0; i < Number(turns); i++) {
    seen.answer = answers[i % answers.length];
    const stop = await prompt(`turn ${i}`);
    stops[stop] = (stops[stop] ?? 0) + 1;
  }
  say("stops", stops);
  say("asked", seen.asked.length > 0);
  say("kinds", kinds(seen));

  const waiting = prompt("wait");
  while (!seen.updates.some((one) => one.update.sessionUpdate === "agent_message_chunk" && one.update.content.text.startsWith("Waiting"))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  say("second prompt", await codeOf(prompt("second")));
  const other = await agent.request(m.agent.session.new, { cwd, mcpServers: [] });
  say("beside", await prompt("/name other", other.sessionId));
  await agent.request(m.agent.session.close, { sessionId: other.sessionId });
  await agent.notify(m.agent.session.cancel, { sessionId });
  say("cancelled", await waiting);

  await agent.request(m.agent.session.setMode, { sessionId, modeId: "careful" });
  const set = await agent.request(m.agent.session.setConfigOption, { sessionId, configId: "think", value: "low" });
  say("thinking", set.configOptions.find((one) => one.id === "think").currentValue);
  say("reload", await prompt("/reload"));
  const health = await agent.request("_aura/plugins", { sessionId });
  say("plugins", health.plugins.map((one) => one.name));
  say("states", seen.states > 0);
  say("unknown", await codeOf(agent.request("session/unknown", {})));
  return sessionId;
}, "SIGKILL");

await start(async (agent, seen) => {
  const { sessions } = await agent.request(m.agent.session.list, { cwd });
  say("listed", sessions.some((one) => one.sessionId === sessionId));
  await agent.request(m.agent.session.load, { sessionId, cwd, mcpServers: [] });
  say("replayed", seen.updates.filter((one) => one.update.sessionUpdate === "user_message_chunk").length);
  await agent.request(m.agent.session.close, { sessionId });
  await agent.request(m.agent.session.resume, { sessionId, cwd });
  say("resumed", await agent.request(m.agent.session.prompt, { sessionId, prompt: text("/info") }).then((got) => got.stopReason));
});
