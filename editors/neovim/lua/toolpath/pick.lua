-- Lets the user choose a step with vim.ui.select, whatever is behind that.

local client = require('toolpath.client')
local label = require('toolpath.label')
local message = require('toolpath.message')
local place = require('toolpath.place')

local M = {}

local function choose_step(server, steps, prompt)
  vim.ui.select(steps, { prompt = prompt, kind = 'toolpath.step', format_item = label.of_step }, function(step)
    if step then
      place.jump(step.location, server)
    end
  end)
end

local function ask(on_answer)
  client.ask_steps('no recorded step touches this file', on_answer)
end

-- A step of the current document, or one that touched the current file.
local function steps()
  ask(function(server, answer)
    choose_step(server, answer.steps, 'Steps, the last one first:')
  end)
end

-- An actor first, and then one of the steps.
local function actors()
  ask(function(server, answer)
    vim.ui.select(answer.actors, {
      prompt = 'Actors:',
      kind = 'toolpath.actor',
      format_item = function(actor)
        return ('%s · %d %s'):format(actor.actor, actor.steps, actor.steps == 1 and 'step' or 'steps')
      end,
    }, function(actor)
      if not actor then
        return
      end
      local of_actor = vim.tbl_filter(function(step)
        return step.actor == actor.actor
      end, answer.steps)
      choose_step(server, of_actor, 'Steps of ' .. actor.actor .. ', the last one first:')
    end)
  end)
end

-- A server of the current buffer, or any: it knows a whole workspace.
local function any_server()
  local server = client.of(vim.api.nvim_get_current_buf()) or client.all()[1]
  if not server then
    client.say_none(vim.api.nvim_get_current_buf())
  end
  return server
end

-- A step of the workspace whose id, intent or actor matches the words; the server ranks them.
local function workspace(words)
  local server = any_server()
  if not server then
    return
  end
  local query = table.concat(words, ' ')
  client.ask(server, 'workspace/symbol', { query = query }, vim.api.nvim_get_current_buf(), function(symbols)
    if not symbols or #symbols == 0 then
      return message.say(query == '' and 'the workspace has no steps' or ('no step matches "%s"'):format(query))
    end
    vim.ui.select(symbols, {
      prompt = 'Steps of the workspace, the best match first:',
      kind = 'toolpath.step',
      format_item = function(symbol)
        local file = vim.fn.fnamemodify(vim.uri_to_fname(symbol.location.uri), ':t')
        return label.join(symbol.name, symbol.containerName, file)
      end,
    }, function(symbol)
      if symbol then
        place.jump(symbol.location, server)
      end
    end)
  end)
end

-- A document of the workspace.
local function documents()
  local server = any_server()
  if not server then
    return
  end
  client.execute(server, 'toolpath.documents', vim.empty_dict(), vim.api.nvim_get_current_buf(), function(all)
    if not all or #all == 0 then
      return message.say('the workspace has no documents')
    end
    vim.ui.select(all, {
      prompt = 'Documents:',
      kind = 'toolpath.document',
      format_item = function(document)
        local file = vim.fn.fnamemodify(vim.uri_to_fname(document.uri), ':~:.')
        return ('%s · %d %s'):format(file, document.steps, document.steps == 1 and 'step' or 'steps')
      end,
    }, function(document)
      if document then
        vim.cmd('edit ' .. vim.fn.fnameescape(vim.uri_to_fname(document.uri)))
      end
    end)
  end)
end

M.kinds = { steps = steps, actors = actors, workspace = workspace, documents = documents }

-- Lets the user choose one of a kind; words narrow it down where the server searches.
function M.choose(kind, words)
  M.kinds[kind](words)
end

return M
