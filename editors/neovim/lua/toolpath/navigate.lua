-- Jumps along the step graph. The server knows where; this module goes there.

local client = require('toolpath.client')

local M = {}

local function say(message)
  vim.notify('toolpath: ' .. message, vim.log.levels.INFO)
end

-- Shows an LSP Location in the current window and leaves a mark in the jump list.
function M.jump(location, encoding)
  if vim.lsp.util.show_document then
    return vim.lsp.util.show_document(location, encoding, { focus = true })
  end
  return vim.lsp.util.jump_to_location(location, encoding)
end

local function choose(locations, encoding)
  local items = vim.lsp.util.locations_to_items(locations, encoding)
  vim.fn.setqflist({}, ' ', { title = 'Toolpath steps', items = items })
  vim.cmd('copen')
end

local function offers(server, command)
  local provider = server.server_capabilities.executeCommandProvider
  return type(provider) == 'table' and vim.tbl_contains(provider.commands or {}, command)
end

-- The server's commands. Each takes a place and answers a Location, a list of them, or null.
local commands = {
  parent = 'toolpath.parentStep',
  child = 'toolpath.childSteps',
  head = 'toolpath.headStep',
}

-- Goes from the step under the cursor to its 'parent', its 'child' or the 'head' of its path; in a
-- source file, first to the step that wrote the line. Several answers go to the quickfix list.
function M.go(relation)
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return say('no server for this buffer (see :help toolpath-setup)')
  end
  local command = commands[relation]
  if not offers(server, command) then
    return say(('this server cannot go to the %s step; update toolpath-ls'):format(relation))
  end
  local position = vim.lsp.util.make_position_params(0, server.offset_encoding)
  local params = { command = command, arguments = { position } }
  client.request(server, 'workspace/executeCommand', params, bufnr, function(err, result)
    if err then
      return say(err.message or tostring(err))
    end
    if not result or result == vim.NIL or vim.tbl_isempty(result) then
      return say(('no %s step here'):format(relation))
    end
    local locations = result.uri and { result } or result
    if #locations == 1 then
      return M.jump(locations[1], server.offset_encoding)
    end
    choose(locations, server.offset_encoding)
  end)
end

return M
