// The service as a plugin of an application that has services and gives its agents tools.

import { createPlugin } from "pairpty/service";

// The application's own part: it gives agents their tools.
class ChatService {
  tools = [];

  addTools(tools) {
    this.tools.push(...tools);
  }
}

class App {
  services = [new ChatService()];

  addServices(service) {
    this.services.push(service);
  }

  waitForService(type, callback) {
    callback(this.services.find((service) => service instanceof type));
  }
}

const plugin = createPlugin(ChatService);
const app = new App();
const config = plugin.config.parse({ terminal: { agentDefaults: { provider: "local" } } });
plugin.install(app, config);

const [chat, terminal] = app.services;
console.log(plugin.name, terminal.name);
console.log(chat.tools.map(({ name }) => name).join(" "));

// As the application does for each of its agents.
terminal.run();
const agent = { id: "one" };
terminal.attach(agent);
const listed = await chat.tools
  .find(({ name }) => name === "bash")
  .execute({ command: "echo from the plugin" }, agent);
console.log(listed.output.trim());

await terminal.stop();
