-- Jumps along the steps. The server knows where; this module goes there.

local client = require('toolpath.client')
local list = require('toolpath.list')
local message = require('toolpath.message')
local place = require('toolpath.place')
local virtual = require('toolpath.virtual')

local M = {}

-- The server's commands. Each takes a place and answers a Location, a list of them, or null.
local commands = {
  parent = 'toolpath.parentStep',
  child = 'toolpath.childSteps',
  head = 'toolpath.headStep',
}

local function choose(locations, server)
  local items = vim.lsp.util.locations_to_items(locations, server.offset_encoding)
  list.show('Toolpath steps', items)
end

-- Goes from the step under the cursor to its 'parent', its 'child' or the 'head' of its path; in a
-- source file, first to the step that wrote the line. Several answers go to the quickfix list.
function M.go(relation)
  local server, bufnr = client.here()
  if not server then
    return
  end
  client.execute(server, commands[relation], place.of_cursor(0, server), bufnr, function(result)
    if not result or vim.tbl_isempty(result) then
      return message.say(('no %s step here'):format(relation))
    end
    local locations = result.uri and { result } or result
    if #locations == 1 then
      return place.jump(locations[1], server)
    end
    choose(locations, server)
  end)
end

-- Opens what a step did, as a unified diff: { document, path, step }, without one the step at the cursor
-- or the one that wrote the line. mods are those of the command.
function M.diff(step, mods, win)
  local server, bufnr = client.here()
  if not server then
    return
  end
  local argument = step and { document = step.document, path = step.path, step = step.step }
  client.execute(server, 'toolpath.stepDiff', argument or place.of_cursor(0, server), bufnr, function(answer)
    if not answer then
      return message.say('no step is known here')
    end
    virtual.open(server, answer.uri, { mods = mods, win = win, words = 'What ' .. answer.step .. ' did' })
  end)
end

return M
