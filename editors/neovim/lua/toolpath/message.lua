-- What the plugin tells the user.

local M = {}

-- Says something in one line; level is one of vim.log.levels, without one it is a plain message.
function M.say(text, level)
  vim.notify('toolpath: ' .. text, level or vim.log.levels.INFO)
end

function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

function M.fail(text)
  M.say(text, vim.log.levels.ERROR)
end

return M
